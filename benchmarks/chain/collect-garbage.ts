// Loaded before a program: at a message from the parent it collects garbage, and replies with the memory that is left.
process.on("message", async () => {
  // What a first collection sets free is given back to the system by the next.
  for (let n = 0; n < 3; n++) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  process.send?.(process.memoryUsage());
});
process.channel?.unref();
