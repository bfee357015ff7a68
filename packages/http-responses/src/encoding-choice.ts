import { BoundedCache } from "@sealhouse/bounded-cache";

export type Encoding = "zstd" | "br" | "gzip" | "identity";

/** Preference of the server among encodings of equal weight, best first. */
const PREFERENCE = ["zstd", "br", "gzip", "identity"] as const;
/** Clients send the same few headers again and again; invented ones must not fill the memory. */
const LIMITS = { entries: 256, keyLengthMax: 256 };

const cached = new BoundedCache<string, readonly Encoding[]>(LIMITS);

/**
 * Returns the encodings that an `Accept-Encoding` header allows, best first (RFC 9110 section
 * 12.5.3). Identity is last unless the header gives it a weight, and absent if it is forbidden.
 */
export function acceptedEncodings(header: string | undefined): readonly Encoding[] {
  if (header === undefined) return ["identity"];
  return cached.remember(header, () => parseAccepted(header));
}

function parseAccepted(header: string): readonly Encoding[] {
  const weights = new Map<string, number>();
  for (const item of header.toLowerCase().split(",")) {
    const [name = "", ...parameters] = item.split(";").map((part) => part.trim());
    if (name !== "") weights.set(name === "x-gzip" ? "gzip" : name, weightOf(parameters));
  }
  const anyOther = weights.get("*");
  const weightFor = (encoding: Encoding) =>
    weights.get(encoding) ?? anyOther ?? (encoding === "identity" ? IDENTITY_UNNAMED : 0);
  return PREFERENCE.map((encoding) => ({ encoding, weight: weightFor(encoding) }))
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ encoding }) => encoding);
}

/** Below any weight a header can name, which has three digits at most. */
const IDENTITY_UNNAMED = 0.0001;

function weightOf(parameters: readonly string[]): number {
  const weight = parameters.find((parameter) => /^q\s*=/.test(parameter));
  if (weight === undefined) return 1;
  const value = Number(weight.slice(weight.indexOf("=") + 1));
  return value >= 0 && value <= 1 ? value : 0;
}
