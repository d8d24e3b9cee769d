"use strict";
// One scrubber drives both videos by frame number. A frame is reached by seeking to its middle,
// (i + 0.5) / fps, and what is drawn over it is always that of the frame which is really shown.

const COLOURS = ["#ffb000", "#4cc9f0", "#ff5d8f", "#7ae582", "#c77dff", "#ffd6a5", "#90e0ef", "#f4a261"];
const SVG = "http://www.w3.org/2000/svg";

function element(tag, properties = {}, parent = null) {
  const made = Object.assign(document.createElement(tag), properties);
  if (parent) parent.append(made);
  return made;
}

class Screen {
  constructor(figure, clip, fps, names) {
    this.clip = clip;
    this.fps = fps;
    this.names = names;
    this.video = figure.querySelector("video");
    this.overlay = figure.querySelector(".boxes");
    this.sentence = figure.querySelector(".sentence");
    this.happening = figure.querySelector(".happening");
    this.frames = clip.boxes.length;
    this.shown = 0;
    this.wanted = null;
    this.visible = new Set();
    this.segmentButtons = clip.segments.map((segment) => {
      const button = element("button", {
        type: "button", textContent: `S${segment.index}`, title: segment.description,
      }, figure.querySelector(".segments"));
      button.style.flexGrow = segment.stop_frame - segment.start_frame;
      return button;
    });
    this.video.addEventListener("loadedmetadata", () => { this.fit(); this.go(); });
    this.video.addEventListener("seeked", () => this.arrived());
    this.video.addEventListener("error", () => { figure.querySelector(".missing").hidden = false; });
  }

  load() {
    if (this.video.preload === "auto") return;
    this.video.preload = "auto";
    this.video.load();
    this.watch();
  }

  fit() {
    const { videoWidth: width, videoHeight: height } = this.video;
    this.video.parentElement.style.aspectRatio = `${width} / ${height}`;
    this.overlay.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.draw();
  }

  // The browser says which frame it put on the screen; older ones only that a seek has ended.
  watch() {
    if (!this.video.requestVideoFrameCallback) return;
    const told = (now, frame) => {
      this.shown = Math.round(frame.mediaTime * this.fps);
      this.draw();
      this.video.requestVideoFrameCallback(told);
    };
    this.video.requestVideoFrameCallback(told);
  }

  seek(frame) {
    this.wanted = Math.min(frame, this.frames - 1);
    if (this.video.readyState > 0 && !this.video.seeking) this.go();
  }

  go() {
    this.going = this.wanted;
    this.video.currentTime = (this.wanted + 0.5) / this.fps;
  }

  arrived() {
    if (this.wanted !== this.going) return this.go();
    if (!this.video.requestVideoFrameCallback) {
      this.shown = this.going;
      this.draw();
    }
  }

  draw() {
    this.overlay.replaceChildren();
    (this.clip.boxes[this.shown] || []).forEach((box, index) => {
      const name = this.clip.names[index];
      if (box && this.visible.has(name)) this.drawBox(name, box);
    });
    const current = this.clip.segments.findIndex(
      (segment) => segment.start_frame <= this.shown && this.shown < segment.stop_frame);
    this.segmentButtons.forEach((button, index) => button.classList.toggle("current", index === current));
    this.sentence.textContent = current < 0 ? "" : this.clip.segments[current].description;
    this.happening.textContent = this.clip.events
      .filter((event) => event.kind !== "rest")
      .filter((event) => event.start_frame <= this.shown && this.shown < event.stop_frame)
      .map((event) => `${event.kind} (${event.participants.join(", ")})`).join(" · ");
  }

  drawBox(name, [x1, y1, x2, y2]) {
    const colour = COLOURS[this.names.indexOf(name) % COLOURS.length];
    const rect = document.createElementNS(SVG, "rect");
    for (const [key, value] of Object.entries({ x: x1, y: y1, width: x2 - x1, height: y2 - y1, stroke: colour })) {
      rect.setAttribute(key, value);
    }
    const label = document.createElementNS(SVG, "text");
    label.textContent = name.replaceAll("_", " ");
    label.setAttribute("x", x1 + 1);
    label.setAttribute("y", y1 > 12 ? y1 - 3 : y1 + 10);
    label.setAttribute("fill", colour);
    this.overlay.append(rect, label);
  }
}

class Player {
  constructor(root) {
    this.root = root;
    const data = JSON.parse(root.querySelector("script").textContent);
    this.fps = data.fps;
    const seen = (clip) => clip.names.filter((_, index) => clip.boxes.some((boxes) => boxes[index]));
    this.names = [...new Set(data.clips.flatMap(seen))];
    const figures = root.querySelectorAll("figure");
    this.screens = data.clips.map((clip, index) => new Screen(figures[index], clip, data.fps, this.names));
    this.last = Math.max(...this.screens.map((screen) => screen.frames)) - 1;
    this.frame = 0;
    this.timer = null;
    this.scrubber = root.querySelector(".scrubber");
    this.scrubber.max = this.last;
    this.bindControls();
    this.markDivergence(data.divergence_frame);
    this.makeChips(data.clips);
    this.show(0);
  }

  bindControls() {
    const on = (selector, act) => this.root.querySelector(selector).addEventListener("click", act);
    on(".play", () => this.toggle());
    on(".back", () => this.step(-1));
    on(".next", () => this.step(1));
    this.scrubber.addEventListener("input", () => { this.pause(); this.show(Number(this.scrubber.value)); });
    for (const screen of this.screens) {
      screen.video.addEventListener("click", () => this.toggle());
      screen.segmentButtons.forEach((button, index) => button.addEventListener("click", () => {
        this.pause();
        this.show(screen.clip.segments[index].start_frame);
      }));
    }
    this.root.addEventListener("keydown", (event) => {
      if (event.target.matches("input[type=checkbox]")) return;
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (step) this.step(step);
      else if (event.key === " " && !event.target.matches("button")) this.toggle();
      else return;
      event.preventDefault();
    });
  }

  markDivergence(frame) {
    if (frame === null) return;
    const mark = this.root.querySelector(".divergence");
    mark.hidden = false;
    // A range's thumb is about 16 px wide and stays inside: its centre runs from 8 px to 100% - 8 px.
    const share = this.last ? frame / this.last : 0;
    mark.style.left = `calc(8px + ${share} * (100% - 16px))`;
    mark.setAttribute("aria-label", `Go to frame ${frame}, the first that differs`);
    mark.addEventListener("click", () => { this.pause(); this.show(frame); });
  }

  makeChips(clips) {
    const chips = this.root.querySelector(".chips");
    const moves = (name) => clips.some((clip) => clip.moving.includes(name));
    this.names.forEach((name, index) => {
      const label = element("label", {}, chips);
      const box = element("input", { type: "checkbox", checked: moves(name) }, label);
      element("i", {}, label).style.background = COLOURS[index % COLOURS.length];
      label.append(name.replaceAll("_", " "));
      const apply = () => {
        for (const screen of this.screens) {
          screen.visible[box.checked ? "add" : "delete"](name);
          screen.draw();
        }
      };
      box.addEventListener("change", apply);
      apply();
    });
  }

  load() { this.screens.forEach((screen) => screen.load()); }

  show(frame) {
    this.frame = Math.max(0, Math.min(this.last, frame));
    this.scrubber.value = this.frame;
    const seconds = (this.frame / this.fps).toFixed(2);
    this.root.querySelector(".frame").textContent = `${this.frame} / ${this.last} · ${seconds} s`;
    this.screens.forEach((screen) => screen.seek(this.frame));
  }

  step(by) { this.pause(); this.show(this.frame + by); }

  toggle() { if (this.timer === null) this.play(); else this.pause(); }

  play() {
    const first = this.frame >= this.last ? 0 : this.frame;
    const start = performance.now();
    this.root.querySelector(".play").textContent = "❚❚";
    const tick = (now) => {
      const frame = first + Math.floor(Math.max(0, now - start) / 1000 * this.fps);
      if (frame !== this.frame) this.show(frame);
      if (frame >= this.last) return this.pause();
      this.timer = requestAnimationFrame(tick);
    };
    this.timer = requestAnimationFrame(tick);
  }

  pause() {
    cancelAnimationFrame(this.timer);
    this.timer = null;
    this.root.querySelector(".play").textContent = "▶";
  }
}

function start() {
  const articles = [...document.querySelectorAll(".twin")];
  const players = new Map();
  const select = document.querySelector(".picker select");
  const open = (id) => {
    const wanted = articles.find((article) => article.id === id) || articles[0];
    for (const article of articles) {
      article.hidden = article !== wanted;
      if (article.hidden && players.has(article)) players.get(article).pause();
    }
    if (!players.has(wanted)) players.set(wanted, new Player(wanted.querySelector(".player")));
    players.get(wanted).load();
    if (select) select.value = wanted.id;
  };
  const named = () => decodeURIComponent(location.hash.slice(1));
  if (select) {
    select.addEventListener("change", () => { location.hash = select.value; });
    document.querySelectorAll(".picker button").forEach((button) => button.addEventListener("click", () => {
      const next = select.selectedIndex + Number(button.dataset.step);
      location.hash = articles[(next + articles.length) % articles.length].id;
    }));
  }
  const isTwin = () => articles.some((article) => article.id === named());
  addEventListener("hashchange", () => { if (isTwin() || !named()) open(named()); });
  if (articles.length) open(named());
}

for (const button of document.querySelectorAll("[data-seek]")) {
  const video = button.closest("section").querySelector("video");
  button.addEventListener("click", () => { video.currentTime = Number(button.dataset.seek); video.play(); });
}

start();
