import { createHash } from "node:crypto";
import { sendBytes } from "@sealhouse/http-responses";
import type { Context, Hono } from "hono";
import { portsForRead } from "../require-access.ts";
import { NuGetError } from "../errors.ts";
import { isPackageId, lowerId } from "../notation/package-id.ts";
import type { NuGetPorts, VersionSummary } from "../ports.ts";

const HEADERS = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'",
} as const;
const CACHE_CONTROL = "private, max-age=300";
/** Average width of a character of 11 px Verdana. */
const CHARACTER_PX = 7;
const PADDING_PX = 6;
const TEXT_MAX = 64;

/** Badges with the newest listed version, as BaGet has them: without prereleases at
 * `/shield/{id}`, with them at `/shield/{id}/vpre`. */
export function mountShield(
  app: Hono,
  allPorts: NuGetPorts,
  { label }: { readonly label: string },
): void {
  const send = async (c: Context, id: string, prerelease: boolean): Promise<Response> => {
    if (!isPackageId(id)) throw new NuGetError("not-found");
    const ports = await portsForRead(allPorts, c, lowerId(id));
    const newest = newestOf(await ports.lookup.summaries(lowerId(id)), prerelease);
    if (!newest) throw new NuGetError("not-found");
    const bytes = Buffer.from(badge(label, newest.version));
    async function* read({ start, end } = { start: 0, end: bytes.length - 1 }) {
      yield bytes.subarray(start, end + 1);
    }
    return sendBytes(
      c,
      { size: bytes.length, read },
      {
        contentType: "image/svg+xml",
        etag: createHash("sha256").update(bytes).digest("hex"),
        cacheControl: CACHE_CONTROL,
        headers: HEADERS,
      },
    );
  };
  app.get("/shield/:id", (c) => send(c, c.req.param("id"), false));
  app.get("/shield/:id/vpre", (c) => send(c, c.req.param("id"), true));
}

function newestOf(
  ascending: readonly VersionSummary[],
  prerelease: boolean,
): VersionSummary | undefined {
  return ascending.findLast(
    (versionSummary) => versionSummary.listed && (prerelease || !versionSummary.isPrerelease),
  );
}

function badge(label: string, version: string): string {
  const [left, right] = [label, version].map((text) => text.slice(0, TEXT_MAX)) as [string, string];
  const [leftPx, rightPx] = [widthOf(left), widthOf(right)];
  const text = (of: string, middle: number) => `<text x="${middle}" y="14">${escaped(of)}</text>`;
  const width = leftPx + rightPx;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" role="img" ` +
    `aria-label="${escaped(left)}: ${escaped(right)}">` +
    `<rect width="${width}" height="20" rx="3" fill="#555"/>` +
    `<rect x="${leftPx}" width="${rightPx}" height="20" rx="3" fill="#0b6b5d"/>` +
    `<g fill="#fff" text-anchor="middle" font-family="Verdana,sans-serif" font-size="11">` +
    `${text(left, leftPx / 2)}${text(right, leftPx + rightPx / 2)}</g></svg>`
  );
}

function widthOf(text: string): number {
  return text.length * CHARACTER_PX + 2 * PADDING_PX;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", '"': "&quot;" };

function escaped(text: string): string {
  return text.replaceAll(/[&<"]/g, (character) => ENTITIES[character] ?? "");
}
