// Loaded into npm. On a signal npm waits for its downloads to undo its work, which we do over anyway; and when the launcher
// is killed it would go on writing into node_modules.
const launcher = Number(new URL(import.meta.url).searchParams.get("launcher"));

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => process.exit(1));
}
setInterval(() => {
  if (process.ppid !== launcher) process.exit(1);
}, 250).unref();
