import { pino } from "pino";
import type { Logger } from "pino";
import { printableLine, printableLines } from "@sealhouse/command-line/printable";
import type { HostConfig } from "./settings/config.ts";

/** One structured line per call; `fields` first. Secrets are struck out of whatever is written. */
export type Log = Pick<Logger, "debug" | "info" | "warn" | "error"> & {
  /** Lets a hot path skip collecting data that is not logged. */
  readonly logsReads: boolean;
};

const LEVELS = {
  Trace: "trace",
  Debug: "debug",
  Information: "info",
  Warning: "warn",
  Error: "error",
  Critical: "fatal",
  None: "silent",
} as const satisfies Record<HostConfig["log"]["level"], string>;

/** `write` gets whole lines, standard output by default. */
export function createLog(
  options: HostConfig["log"],
  write: (line: string) => void = (line) => void process.stdout.write(line),
): Log {
  const format = options.format === "Text" ? formatLine : (line: string) => line;
  const logger = pino(
    {
      level: LEVELS[options.level],
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: shownError },
      redact: { paths: ["headers", "authorization", "token", "password"], censor: "********" },
    },
    { write: (line: string) => write(format(strikeSecrets(line))) },
  );
  return {
    debug: logger.debug.bind(logger),
    info: logger.info.bind(logger),
    warn: logger.warn.bind(logger),
    error: logger.error.bind(logger),
    logsReads: logger.isLevelEnabled("debug"),
  };
}

/** Errors whose message is sufficient for an operator; a stack trace would only hide it. */
const WITHOUT_STACK: ReadonlySet<string> = new Set([
  "KeyRingError",
  "ModeSettingError",
  "SigningError",
  "SigningKeyError",
]);

function shownError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (!WITHOUT_STACK.has(error.name)) return pino.stdSerializers.err(error);
  return { type: error.name, message: error.message };
}

/** Takes out what looks like one of our tokens, a bearer token or a password, wherever it stands:
 * in a path, a query, or the message of an error. */
export function strikeSecrets(text: string): string {
  return text
    .replace(/shp_[A-Za-z0-9_-]{4,}/g, "shp_********")
    .replace(/eyJ[\w-]{5,}\.[\w-]+\.[\w-]*/g, "********")
    .replace(/\b(Basic|Bearer)(\s+|%20)[\w+/=.~-]{4,}/gi, "$1$2********")
    .replace(/((?:password|pwd|secret|api[-_]?key|token|_state|sig)=)[^&;\s"\\]+/gi, "$1********")
    .replace(/(:\/\/[^\s:/@"]*:)[^\s/@"]+@/g, "$1********@");
}

type Line = Readonly<Record<string, unknown>>;

/** For people: `12:30:15 info  PUT /api/v2/package 201 12ms id=…`. */
function formatLine(line: string): string {
  const { time, level, msg, err, ...all } = parseLine(line);
  const rest = "method" in all ? withoutWords(all) : all;
  const fields = Object.entries(rest).map(([name, value]) => `${name}=${shown(value)}`);
  const head = `${String(time).slice(11, 19)} ${String(level).padEnd(5)} ${shown(msg)}`;
  const stack = err === undefined ? "" : `\n${printableLines(stackOf(err))}`;
  return `${printableLine([head, ...fields].join(" "))}${stack}\n`;
}

/** A request's message says these already. */
function withoutWords({ method: _method, path: _path, status: _status, ...rest }: Line): Line {
  return rest;
}

function parseLine(line: string): Line {
  return JSON.parse(line) as Line;
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function stackOf(error: unknown): string {
  const hasStack = typeof error === "object" && error !== null && "stack" in error;
  if (hasStack) return String(error.stack);
  const { type, message } = Object(error) as Line;
  return message === undefined ? shown(error) : `${shown(type)}: ${shown(message)}`;
}
