const inherited =
  process.platform === "win32"
    ? ["PATH", "PATHEXT", "SYSTEMROOT", "SYSTEMDRIVE", "TEMP", "USERPROFILE", "APPDATA", "COMSPEC", "WINDIR"]
    : ["PATH", "HOME", "LANG"];

/** The environment of a program that we start: what it cannot do without or starts slower, and what its configuration names. */
export function childEnvironment(named: Readonly<Record<string, string>>): Record<string, string> {
  const own = [...inherited, "NODE_COMPILE_CACHE"].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(own), ...named };
}
