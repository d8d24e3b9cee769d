"""What is seen, where and when: tracks and segments."""
