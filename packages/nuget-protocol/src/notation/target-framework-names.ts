/** A framework taken apart. */
export type Framework = {
  /** As short folder names begin: `net` (of .NET Framework), `netcoreapp` (also .NET 5 and later),
   * `netstandard`, `uap` … */
  readonly family: string;
  /** Without trailing zeros beyond the second part. */
  readonly version: readonly number[];
  /** `windows`, `android` … of .NET 5 and later, without its version. */
  readonly platform?: string;
  readonly platformVersion?: string;
  /** `client`, `cf`, or of a portable library what it supports. */
  readonly profile?: string;
};

const TEXT_LENGTH_MAX = 256;
const LONG = /^([^,]+)(?:,version=v?(\d+(?:\.\d+){0,3}))?(?:,profile=([^,]+))?$/;
const SHORT = /^\.?([a-z][a-z.]*?)\.?(\d+(?:\.\d+){0,3})?(?:-([a-z0-9.+-]+))?$/i;
const PLATFORM = /^([a-z]+)(\d+(?:\.\d+){0,3})?$/;

/** Short names by long names without dots, and old spellings. */
const FAMILIES: ReadonlyMap<string, string> = new Map([
  ["netframework", "net"],
  ["netplatform", "dotnet"],
  ["netportable", "portable"],
  ["netmicroframework", "netmf"],
  ["netnanoframework", "netnano"],
  ["silverlight", "sl"],
  ["windows", "win"],
  ["windowsphone", "wp"],
  ["windowsphoneapp", "wpa"],
]);
/** Short names of these always have the dots of their version. */
const DOTTED = new Set(["netcoreapp", "netstandard", "netnano", "tizen"]);
/** These are named by the first part alone where the rest is zero. */
const SINGLE_PART = new Set(["sl", "win", "wp"]);

/** Reads a folder name (`net472`, `net8.0-windows7.0`) or a long name (`.NETFramework4.7.2`,
 * `.NETStandard,Version=v2.0`); undefined for what has not the form of one. */
export function parseFramework(text: string): Framework | undefined {
  if (text.length > TEXT_LENGTH_MAX || /\w\s+\w/.test(text)) return undefined;
  const lower = text.toLowerCase().replaceAll(/\s+/g, "");
  const [, name = "", versionText, rest] = (lower.includes(",") ? LONG : SHORT).exec(lower) ?? [];
  const plain = name.replaceAll(".", "");
  const family = FAMILIES.get(plain) ?? plain;
  if (family === "") return undefined;
  if (family === "portable") return { family, version: [], ...(rest && { profile: rest }) };
  const version = versionOf(versionText);
  if (isModern(family, version)) return modern(version, rest);
  const isWhole = rest === undefined || rest === "full";
  return { family, version, ...(!isWhole && { profile: rest }) };
}

/**
 * The folder name of a framework: `net472`, `netstandard2.0`, `net8.0-windows7.0`. Returns unknown
 * text in lower case.
 */
export function shortFrameworkName(text: string): string {
  const framework = parseFramework(text);
  return framework ? formatFramework(framework) : text.trim().toLowerCase();
}

export function formatFramework(framework: Framework): string {
  const { family, version, platform, platformVersion = "", profile } = framework;
  if (platform !== undefined)
    return `${formatVersion("net", version, true)}-${platform}${platformVersion}`;
  const ending = profile === undefined ? "" : `-${profile}`;
  if (family === "netcoreapp" && (version[0] ?? 0) >= 5) return formatVersion("net", version, true);
  return formatVersion(family, version, DOTTED.has(family)) + ending;
}

/** .NET 5 and later go by the name of .NET Framework. */
function isModern(family: string, version: readonly number[]): boolean {
  return (family === "netcoreapp" || family === "net") && (version[0] ?? 0) >= 5;
}

function modern(version: readonly number[], rest: string | undefined): Framework {
  const [, platform, platformVersion] = (rest !== undefined && PLATFORM.exec(rest)) || [];
  return {
    family: "netcoreapp",
    version,
    ...(platform !== undefined && { platform }),
    ...(platformVersion !== undefined && { platformVersion }),
  };
}

/** Without a dot each digit is a part: `net472` is 4.7.2. */
function versionOf(text: string | undefined): readonly number[] {
  if (text === undefined) return [];
  const parts = text.includes(".") ? text.split(".") : text.split("");
  const numbers = parts.slice(0, 4).map(Number);
  while (numbers.length > 2 && numbers.at(-1) === 0) numbers.pop();
  return numbers.length === 1 ? [...numbers, 0] : numbers;
}

function formatVersion(family: string, version: readonly number[], isDotted: boolean): string {
  if (version.length === 0) return family;
  if (isDotted) return family + version.join(".");
  const isSingle = SINGLE_PART.has(family) && version.length === 2 && version[1] === 0;
  const parts = isSingle ? version.slice(0, 1) : version;
  return family + parts.join(parts.some((part) => part > 9) ? "." : "");
}
