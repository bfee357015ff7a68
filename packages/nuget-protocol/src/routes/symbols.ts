import { sendBytes } from "@sealhouse/http-responses";
import type { ByteSource } from "@sealhouse/http-responses";
import type { Context, Hono } from "hono";
import { requireAccess } from "../require-access.ts";
import { NuGetError } from "../errors.ts";
import { lowerId } from "../notation/package-id.ts";
import type { NuGetPorts } from "../ports.ts";
import type { NamedBlob } from "../stored-package.ts";
import type { StoredSymbolFile } from "../symbols/ports.ts";
import type { PublishSymbolsOutcome } from "../symbols/publish-symbols.ts";
import { parseSymbolChecksum } from "../symbols/symbol-checksum.ts";
import { uploadOf } from "./upload.ts";

export type SymbolOptions = {
  readonly isReadOnlyMode: boolean;
  /** Maximum bytes of one symbol package, as for packages. */
  readonly maxPackageBytes: number | undefined;
};

/** Both names that feeds have for it, each with the slash that clients add. */
const PUSH_PATHS = ["/api/v2/symbolpackage", "/api/v2/symbol"].flatMap((path) => [
  path,
  `${path}/`,
]);
/** The last are addresses of other feeds; the part before the name is ignored. */
const FILE_PATHS = [
  "/symbols/:index",
  "/symbols/:name/:key/:file",
  "/api/download/symbols/:index",
  "/api/download/symbols/:name/:key/:file",
  "/api/download/symbols/:prefix/:name/:key/:file",
];
/** The key holds the hash of what is served, but another build may take its place. */
const CACHE_CONTROL = "private, max-age=600";
/** The PDB's id, followed by an age that has no meaning for portable PDBs: debuggers send
 * `ffffffff`, others `1` or nothing. */
const SYMBOL_KEY = /^([0-9a-f]{32})(?:ffffffff|1)?$/;
/** No database can look for a NUL, and no file has a control character. */
const FILE_NAME = /^\P{Cc}+$/u;
const PLAIN_NAME = /^[\w.+-]+$/;

/** Symbol packages in, and the PDBs in them out to debuggers, under the keys they ask by. */
export function mountSymbols(app: Hono, ports: NuGetPorts, options: SymbolOptions): void {
  app.on("PUT", PUSH_PATHS, async (c) => {
    if (options.isReadOnlyMode) throw new NuGetError("read-only");
    return answerOutcome(c, await receiveSymbols(c, ports, options), ports);
  });
  app.on("GET", FILE_PATHS, async (c) => {
    const file = await findFile(c, ports);
    return sendStored(c, ports, file.blob, file.fileName);
  });
}

/** The received symbol package of a version. Names are lower-cased; the caller may read. */
export async function sendSymbolPackage(
  c: Context,
  ports: Pick<NuGetPorts, "symbols" | "files">,
  { id, version }: { readonly id: string; readonly version: string },
): Promise<Response> {
  const blob = await ports.symbols.findPackage(id, version);
  if (!blob) throw new NuGetError("not-found");
  return sendStored(c, ports, blob, `${id}.${version}.snupkg`);
}

async function receiveSymbols(
  c: Context,
  ports: NuGetPorts,
  { maxPackageBytes }: SymbolOptions,
): Promise<PublishSymbolsOutcome> {
  const caller = await requireAccess(ports, c, { action: "publish" });
  const body = uploadOf(c, maxPackageBytes);
  // Large, and only a push needs it.
  const { packageBytes, publishSymbols } = await import("../package.ts");
  return publishSymbols(ports, {
    body: packageBytes(body, c.req.header("content-type")),
    caller,
    maxBytes: maxPackageBytes,
    allow: async (id) => {
      await requireAccess(ports, c, { action: "publish", name: lowerId(id) });
    },
  });
}

function answerOutcome(
  c: Context,
  outcome: PublishSymbolsOutcome,
  { count }: NuGetPorts,
): Response {
  switch (outcome.status) {
    case "published":
      count("push");
      return c.body(null, 201);
    case "absent":
      throw new NuGetError("not-found", {
        problems: [`Push ${outcome.id} ${outcome.version} first, then its symbols.`],
      });
    case "invalid":
      throw new NuGetError("invalid-symbols", { problems: outcome.problems });
  }
}

/**
 * The first file under the name and key that has the checksum asked for and is in a package the
 * caller may read.
 * @throws {NuGetError}
 */
async function findFile(c: Context, ports: NuGetPorts): Promise<StoredSymbolFile> {
  const { name, key, file } = askedOf(c);
  const id = SYMBOL_KEY.exec(key)?.[1];
  const isWellFormed = id !== undefined && FILE_NAME.test(name) && file === name;
  const files = isWellFormed ? await ports.symbols.find(name, `${id}ffffffff`) : [];
  const checksums = parseSymbolChecksum(c.req.header("symbolchecksum"));
  const candidates = files.filter(({ checksum }) => checksums?.has(checksum) ?? true);
  for (const candidate of candidates) {
    const action = { action: "read", name: candidate.id } as const;
    const verdict = await ports.authorize(c.req.raw, c.env, action);
    if (verdict.status === "granted") return candidate;
    // Other credentials would be needed, not another package.
    if (verdict.status !== "denied" && verdict.status !== "absent") break;
  }
  // The answer must not show that a package outside of the token's patterns has such a file.
  await requireAccess(ports, c, { action: "read" });
  throw noSuchFile();
}

/** Older debuggers escape the slashes of a key, too: `/symbols/a.pdb%2F…%2Fa.pdb`. */
function askedOf({ req }: Context): Record<"name" | "key" | "file", string> {
  const single = ["name", "key", "file"].map((part) => req.param(part) ?? "");
  const [name = "", key = "", ...rest] = req.param("index")?.split("/") ?? single;
  // A file name has at most one.
  const file = rest.join("/");
  return { name: name.toLowerCase(), key: key.toLowerCase(), file: file.toLowerCase() };
}

function noSuchFile(): NuGetError {
  return new NuGetError("not-found", {
    problems: ["No symbols are here under this name and key."],
  });
}

function sendStored(
  c: Context,
  { files }: Pick<NuGetPorts, "files">,
  { key, size, sha256 }: NamedBlob,
  name: string,
): Promise<Response> {
  const read: ByteSource["read"] = (...args) => files.read(key, ...args);
  const disposition = PLAIN_NAME.test(name) ? `attachment; filename="${name}"` : "attachment";
  return sendBytes(
    c,
    { size, read },
    {
      contentType: "application/octet-stream",
      etag: sha256,
      cacheControl: CACHE_CONTROL,
      headers: { "content-disposition": disposition, vary: "SymbolChecksum" },
    },
  );
}
