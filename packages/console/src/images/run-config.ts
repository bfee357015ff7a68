import type { HistoryStep, Pairs, RunConfig, TextList } from "./model.ts";

/** Longer lists do not fit on a page. */
const WORDS_MAX = 50;
const LIST_MAX = 100;
const STEPS_MAX = 200;

type Json = Readonly<Record<string, unknown>>;

/**
 * Parses the untrusted config of an image and omits every invalid value. Undefined when the bytes
 * are not a JSON object.
 */
export function parseRunConfig(
  bytes: Uint8Array,
  layerSizes: readonly number[],
): RunConfig | undefined {
  const json = parsedObject(bytes);
  if (!json) return undefined;
  const run = objectIn(json["config"]);
  return {
    platform: platformText(json),
    createdAt: timeIn(json["created"]),
    author: textIn(json["author"]),
    user: textIn(run["User"]),
    workingDir: textIn(run["WorkingDir"]),
    stopSignal: textIn(run["StopSignal"]),
    entrypoint: wordsIn(run["Entrypoint"]),
    command: wordsIn(run["Cmd"]),
    environment: textList(run["Env"]),
    ports: keyList(run["ExposedPorts"]),
    volumes: keyList(run["Volumes"]),
    labels: pairsOf(run["Labels"]),
    history: historyOf(json["history"], layerSizes),
  };
}

/** Formats a platform as `linux/arm64/v8`, followed by the OS version when present. */
export function platformText(json: Json): string | undefined {
  const { os, architecture, variant } = json;
  const parts = [os, architecture, variant].flatMap((part) => textIn(part) ?? []);
  const version = textIn(json["os.version"]);
  if (parts.length === 0) return undefined;
  return version === undefined ? parts.join("/") : `${parts.join("/")} ${version}`;
}

/** Returns the first names with text values. */
export function pairsOf(value: unknown): Pairs {
  const json = objectIn(value);
  const names = Object.keys(json);
  const shown = names.slice(0, LIST_MAX).flatMap((name) => {
    const text = json[name];
    return typeof text === "string" ? [{ name, value: text }] : [];
  });
  return { total: names.length, shown };
}

/** Returns an empty object for any other value. */
export function objectIn(value: unknown): Json {
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function textIn(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

export function parsedObject(bytes: Uint8Array): Json | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function timeIn(value: unknown): Date | undefined {
  const time = typeof value === "string" ? new Date(value) : undefined;
  // Reproducible builds write the year 1 or 1970 instead of the time.
  return time && time.getTime() > 0 ? time : undefined;
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((element) => typeof element === "string") : [];
}

/** Returns the texts of a list, or of a single text. */
function wordsIn(value: unknown): readonly string[] {
  return typeof value === "string" ? [value] : textsIn(value).slice(0, WORDS_MAX);
}

function textList(value: unknown): TextList {
  const all = textsIn(value);
  return { total: all.length, shown: all.slice(0, LIST_MAX) };
}

/** Docker configs store ports and volumes as the keys of an object. */
function keyList(value: unknown): TextList {
  const all = Object.keys(objectIn(value));
  return { total: all.length, shown: all.slice(0, WORDS_MAX) };
}

function historyOf(value: unknown, layerSizes: readonly number[]): RunConfig["history"] {
  const all = Array.isArray(value) ? value.map(objectIn) : [];
  const isEmpty = (step: Json) => step["empty_layer"] === true;
  // Steps can be matched with layers only when their numbers are equal.
  const isComplete = all.filter((step) => !isEmpty(step)).length === layerSizes.length;
  let layer = 0;
  const steps = all.slice(0, STEPS_MAX).map((step): HistoryStep => {
    const size = isEmpty(step) ? undefined : layerSizes[layer++];
    return {
      text: commandText(textIn(step["created_by"]) ?? ""),
      comment: textIn(step["comment"]),
      createdAt: timeIn(step["created"]),
      size: isComplete ? size : undefined,
    };
  });
  return { total: all.length, steps };
}

/** Removes the shell that builders write around each line of a Dockerfile. */
function commandText(text: string): string {
  return text
    .replace(/^\/bin\/sh -c #\(nop\)\s*/, "")
    .replace(/^\/bin\/sh -c /, "RUN ")
    .replace(/ # buildkit$/, "");
}
