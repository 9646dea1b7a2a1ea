// Loaded before a program: at a message from the parent it collects garbage, and replies with the memory that is left.
process.on("message", async () => {
  // The second collection returns to the system what the first one freed.
  for (let n = 0; n < 3; n++) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  process.send?.(process.memoryUsage());
});
process.channel?.unref();
