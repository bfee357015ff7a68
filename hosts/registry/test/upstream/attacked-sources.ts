import { randomBytes } from "node:crypto";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import {
  openScriptedFeed,
  openScriptedImages,
  openScriptedRegistry,
} from "@sealhouse/upstream-sources/testing";
import type { HostileAnswer } from "@sealhouse/upstream-sources/testing";
import type { NewSource } from "./add-source.ts";
import { imageOf, layerOf } from "./mirror-host.ts";

type Part = "document" | "file";

/** A source with one package, whose answers a test replaces. */
export type AttackedSource = AsyncDisposable & {
  readonly added: NewSource;
  /** Path of the document at the mirror. */
  readonly document: string;
  /** Path of the file at the mirror. */
  readonly file: string;
  /** Content of the file. */
  readonly bytes: Uint8Array;
  /** Requests to the source so far. */
  readonly requests: () => readonly string[];
  /** Replaces the answers about one part; undefined: about none. */
  readonly attack: (part: Part, answer: HostileAnswer | undefined) => void;
};

/** More than a transfer keeps in memory. */
const FILE_BYTES = 1_000_000;
/** Less than the defaults, so that tests take less time. */
const LIMITS = {
  firstByteTimeoutMs: 2_000,
  revalidateAfterMs: 60_000,
  maxDocumentBytes: 8 * 1024 * 1024,
  maxFileBytes: 16 * 1024 * 1024,
};

/** Opens a source of each protocol with a package of this name. */
export const OPEN_ATTACKED: Readonly<
  Record<NewSource["protocol"], (name: string) => Promise<AttackedSource>>
> = { npm: openNpm, nuget: openNuGet, oci: openOci };

async function openNpm(name: string): Promise<AttackedSource> {
  const registry = await openScriptedRegistry();
  registry.publish(name, "1.0.0");
  const file = `/${name}/-/${name}-1.0.0.tgz`;
  const bytes = await (await fetch(new URL(file, registry.url))).bytes();
  registry.requests.length = 0;
  const script = createScript({ document: `/${name}`, file });
  registry.fault = script.answer;
  return {
    added: newSource("npm", name, registry.url),
    document: `/npm/${name}`,
    file: `/npm${file}`,
    bytes,
    requests: () => registry.requests,
    attack: script.attack,
    [Symbol.asyncDispose]: () => registry.stop(),
  };
}

async function openNuGet(id: string): Promise<AttackedSource> {
  const feed = await openScriptedFeed();
  const files = { "lib/netstandard2.0/a.dll": randomBytes(FILE_BYTES) };
  const bytes = buildNupkg({ id, version: "1.0.0", files });
  feed.put(id, "1.0.0", { bytes });
  const document = `${id}/index.json`;
  const file = `${id}/1.0.0/${id}.1.0.0.nupkg`;
  const script = createScript({ document: `/flat/${document}`, file: `/flat/${file}` });
  feed.answer = (_, response) => script.answer(response.req, response);
  return {
    added: newSource("nuget", id, feed.url.href),
    document: `/v3/package/${document}`,
    file: `/v3/package/${file}`,
    bytes,
    requests: () => feed.requests,
    attack: script.attack,
    [Symbol.asyncDispose]: () => feed.close(),
  };
}

async function openOci(name: string): Promise<AttackedSource> {
  const registry = await openScriptedImages();
  const image = imageOf(name, FILE_BYTES);
  registry.put(name, image, "1.0");
  const { digest, bytes } = layerOf(image);
  const document = `/v2/${name}/manifests/1.0`;
  const file = `/v2/${name}/blobs/${digest}`;
  const script = createScript({ document, file });
  registry.fault = script.answer;
  return {
    added: newSource("oci", name, registry.url),
    document,
    file,
    bytes,
    requests: () => registry.requests,
    attack: script.attack,
    [Symbol.asyncDispose]: () => registry.stop(),
  };
}

function newSource(protocol: NewSource["protocol"], name: string, url: string): NewSource {
  return { name: `${protocol}-${name}`, protocol, url, settings: { ...LIMITS, allow: [name] } };
}

/** `paths`: those of the source. */
function createScript(paths: Readonly<Record<Part, string>>) {
  let attacked: { readonly path: string; readonly answer: HostileAnswer } | undefined;
  const attack: AttackedSource["attack"] = (part, answer) => {
    attacked = answer && { path: paths[part], answer };
  };
  const answer = (...[request, response]: Parameters<HostileAnswer>): boolean => {
    if (!attacked || request.url?.split("?")[0] !== attacked.path) return false;
    attacked.answer(request, response);
    return true;
  };
  return { attack, answer };
}
