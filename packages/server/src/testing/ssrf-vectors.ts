import type { Zone } from "./dns-server.ts";

/** Internal addresses that no external input may reach, one of each kind. */
const FORBIDDEN_V4 = [
  ...["127.0.0.1", "127.255.255.254", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.0.1"],
  ...["169.254.169.254", "100.64.0.1", "192.0.0.192", "198.18.0.1", "224.0.0.1", "255.255.255.255"],
];

const FORBIDDEN_V6 = [
  ...["::1", "::", "0:0:0:0:0:0:0:1", "0000:0000:0000:0000:0000:0000:0000:0001", "::0.0.0.1"],
  ...["::ffff:127.0.0.1", "::ffff:7f00:1", "::FFFF:7F00:1", "0:0:0:0:0:ffff:127.0.0.1", "::ffff:0:127.0.0.1"],
  ...["::127.0.0.1", "::7f00:1", "::ffff:169.254.169.254", "::ffff:a9fe:a9fe", "::ffff:10.0.0.1"],
  ...["64:ff9b::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::7f00:1"],
  ...["2002:7f00:1::", "2002:a9fe:a9fe::1", "2001:0:7f00:1::", "2001::1", "2001:db8::1"],
  ...["fe80::1", "febf::1", "fec0::1", "fc00::1", "fd00:ec2::254", "ff02::1", "100::1", "3fff::1", "5f00::1"],
];

const fullwidth = (text: string) =>
  text.replace(/[0-9]/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));
const circled = (text: string) =>
  text.replace(/[1-9]/g, (digit) => String.fromCodePoint(0x2460 + Number(digit) - 1)).replaceAll("0", "⓪");
const mathematical = (text: string) =>
  text.replace(/[0-9]/g, (digit) => String.fromCodePoint(0x1d7ce + Number(digit)));

/** The ways to write an IPv4 address that one reader or another understands. */
function spellings(address: string): string[] {
  const parts = address.split(".").map(Number);
  const [a = 0, b = 0, c = 0, d = 0] = parts;
  const value = ((a * 256 + b) * 256 + c) * 256 + d;
  const hex = (part: number) => `0x${part.toString(16)}`;
  const octal = (part: number) => `0${part.toString(8)}`;
  return [
    ...[address, `${address}.`, String(value), hex(value), hex(value).toUpperCase(), octal(value)],
    ...[parts.map(hex).join("."), parts.map(octal).join("."), `${hex(a)}.${octal(b)}.${c}.${d}`],
    ...[`${a}.${(b * 256 + c) * 256 + d}`, `${a}.${b}.${c * 256 + d}`, `000${octal(a)}.${b}.${c}.${d}`],
    ...[address.replaceAll(".", "。"), address.replaceAll(".", "．"), address.replaceAll(".", "%2e")],
    ...[address.replace(/[0-9]/g, (digit) => `%3${digit}`), fullwidth(address), circled(address)],
    mathematical(address),
  ];
}

/** Names of the test's own zone that lead where they must not. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    FORBIDDEN_V4.map((address) => [`${address.replaceAll(".", "-")}.bad.test`, [address]]),
  ),
  ...Object.fromEntries(FORBIDDEN_V6.slice(5).map((address, place) => [`six-${place}.bad.test`, [address]])),
  localhost: ["127.0.0.1", "::1"],
  "loopback6.bad.test": ["::1"],
  "mixed.bad.test": ["93.184.215.14", "127.0.0.1"],
  "mixed6.bad.test": ["93.184.215.14", "::1"],
  "alias.bad.test": ["127-0-0-1.bad.test"],
  "alias-of-alias.bad.test": ["alias.bad.test"],
  "xn--bcher-kva.bad.test": ["127.0.0.1"],
};

/** What the test's own name server knows of them. */
export const badNames: Zone = (name) => NAMES[name] ?? [];

/** URLs that must lead nowhere, each at this port of this machine where it names this machine. */
export function ssrfVectors(port: number): readonly string[] {
  const hosts = [
    ...FORBIDDEN_V4.flatMap(spellings),
    ...FORBIDDEN_V6.map((address) => `[${address}]`),
    ...["[fe80::1%25lo]", "[fe80::1%lo]", "[::1%25lo]", "[::1]."],
    ...["LOCALHOST", "localhost.", "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ", "ｌｏｃａｌｈｏｓｔ", "local\u00adhost", "%6cocalhost"],
    ...Object.keys(NAMES),
    ...["127-0-0-1.BAD.test", "127-0-0-1.bad.test.", "bücher.bad.test", "BÜCHER.bad.test"],
  ];
  const here = `127.0.0.1:${port}`;
  const tricks = [
    ...[`http://good.test@${here}/`, `http://good.test:80@${here}/`, `http://good.test%40${here}/`],
    ...[`http://user:password@${here}/`, `http://${here}\\@good.test/`, `http://${here}#@good.test/`],
    ...[
      `http://${here}?@good.test/`,
      `http:\\\\${here}\\`,
      `http:/${here}/`,
      `http:${here}/`,
      `http:///${here}/`,
    ],
    ...[`\thttp://${here}/`, ` http://${here}/ `, `ht\ntp://${here}/`, `http://127.0.0.\t1:${port}/`],
    ...[
      `http://127.0.0.1\n:${port}/`,
      `http://127.0.0.1\u0000:${port}/`,
      `http://127.0.0.1%00.good.test:${port}/`,
    ],
    ...[`HTTP://${here}/`, `https://${here}/`, `http://127.0.0.1:00${port}/`, `http://127.0.0.1:0/`],
    ...[
      `//${here}/`,
      `${here}`,
      `/${here}`,
      `good.test@${here}`,
      `http://`,
      `http://:${port}/`,
      `http://[::1`,
    ],
    ...[
      `file:///etc/passwd`,
      `file://${here}/etc/passwd`,
      `ftp://${here}/`,
      `gopher://${here}/_GET`,
      `dict://${here}/`,
    ],
    ...[
      `ldap://${here}/`,
      `ws://${here}/`,
      `wss://${here}/`,
      `data:text/plain,hi`,
      `javascript:alert(1)`,
      `blob:http://${here}/`,
    ],
    ...[
      `unix:/var/run/docker.sock`,
      `jar:http://${here}/!/`,
      `view-source:http://${here}/`,
      `http+unix://${here}/`,
    ],
  ];
  return [...new Set([...hosts.map((host) => `http://${host}:${port}/`), ...tricks])];
}
