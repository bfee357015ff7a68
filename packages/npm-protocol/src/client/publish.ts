import type { CallOptions, Outgoing, Refusal } from "@sealhouse/http-responses/outgoing";
import type { JsonObject } from "../json.ts";
import type { Addresses } from "./addresses.ts";
import { escaped } from "./addresses.ts";
import type { SendParts } from "./send.ts";
import { send } from "./send.ts";

/** The version to publish. Its tarball is sent while it is read, and never held in memory. */
export type NewVersion = {
  readonly name: string;
  readonly version: string;
  /** package.json of the tarball, unchanged; the client adds `dist`. */
  readonly manifest: JsonObject;
  readonly tags: readonly string[];
  readonly tarball: {
    /** May be called more than once, should the registry redirect. */
    read(): AsyncIterable<Uint8Array>;
    /** Bytes. */
    readonly size: number;
    /** SRI, sha512. */
    readonly integrity: string;
    /** SHA-1, hex. */
    readonly shasum: string;
  };
  readonly access?: "public" | "restricted";
  readonly readme?: string;
  readonly readmeFilename?: string;
  /** A Sigstore bundle, JSON text. */
  readonly provenance?: string;
};

export type PublishVersionOutcome =
  | { readonly status: "published" }
  /** The registry has this version, or had it once. */
  | { readonly status: "exists"; readonly reason: string }
  | Refusal;

/** Base64 encodes three bytes as four characters, so pieces end at a multiple of three. */
const BASE64_STEP = 3;

/** One upload, never repeated by itself: a lost answer may hide a success. */
export async function publishVersion(
  parts: SendParts & { readonly addresses: Addresses },
  version: NewVersion,
  { signal }: CallOptions,
): Promise<PublishVersionOutcome> {
  const url = parts.addresses.package(version.name);
  const sent = await send(parts, { method: "PUT", url, signal, ...publishBody(version, url) });
  if (sent.status === "changed") return { status: "published" };
  if (sent.status === "absent") {
    return { status: "refused", reason: "There is no registry at this address.", httpStatus: 404 };
  }
  if (sent.status !== "refused" || !isTaken(sent)) return sent;
  return { status: "exists", reason: sent.reason };
}

/** 403 with the public registry's phrase; some registries answer 409. */
function isTaken({ httpStatus, reason }: Extract<Refusal, { status: "refused" }>): boolean {
  return httpStatus === 409 || (httpStatus === 403 && /previously published/i.test(reason));
}

/** The body of a publish, for `url`. Its tarball is read while it is sent. */
export function publishBody(
  version: NewVersion,
  url: URL,
): Required<Pick<Outgoing, "headers" | "body">> {
  const { tarball } = version;
  const [head, tail] = documentAround(version, url);
  const packed = Math.ceil(tarball.size / BASE64_STEP) * 4;
  return {
    headers: {
      "content-type": "application/json",
      "content-length": String(head.length + packed + tail.length),
    },
    async *body() {
      yield head;
      yield* base64Of(tarball.read(), tarball.size);
      yield tail;
    },
  };
}

/** The parts of the body before and after the tarball's characters. */
function documentAround(version: NewVersion, { origin }: URL): readonly [Buffer, Buffer] {
  const { name, tarball, readme, readmeFilename, access, provenance } = version;
  const { integrity, shasum, size } = tarball;
  const file = `${name}-${version.version}.tgz`;
  const base = `${name.slice(name.indexOf("/") + 1)}-${version.version}.tgz`;
  const dist = { integrity, shasum, tarball: `${origin}/${escaped(name)}/-/${base}` };
  const names = { name, version: version.version, _id: `${name}@${version.version}` };
  const manifest = { ...version.manifest, ...names, dist };
  const bundle = provenance !== undefined && {
    [`${name}-${version.version}.sigstore`]: {
      content_type: "application/vnd.dev.sigstore.bundle.v0.3+json",
      data: provenance,
      length: provenance.length,
    },
  };
  const document = {
    _id: name,
    name,
    "dist-tags": Object.fromEntries(version.tags.map((tag) => [tag, version.version])),
    versions: { [version.version]: manifest },
    access: access ?? null,
    ...(readme !== undefined && { readme }),
    ...(readmeFilename !== undefined && { readmeFilename }),
  };
  const text = JSON.stringify(document).slice(0, -1);
  const type = '"content_type":"application/octet-stream"';
  const others = bundle ? `,${JSON.stringify(bundle).slice(1, -1)}` : "";
  return [
    Buffer.from(`${text},"_attachments":{${JSON.stringify(file)}:{${type},"data":"`),
    Buffer.from(`","length":${size}}${others}}}`),
  ];
}

/** @throws {RangeError} when there are more or fewer bytes than were promised */
async function* base64Of(
  bytes: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let left: Uint8Array = new Uint8Array();
  let received = 0;
  for await (const chunk of bytes) {
    received += chunk.length;
    if (received > size) break;
    const joined = left.length === 0 ? chunk : Buffer.concat([left, chunk]);
    const whole = joined.length - (joined.length % BASE64_STEP);
    if (whole > 0) yield encoded(joined.subarray(0, whole));
    left = joined.subarray(whole);
  }
  if (received !== size) {
    throw new RangeError(`The tarball has at least ${received} bytes; ${size} were announced`);
  }
  if (left.length > 0) yield encoded(left);
}

function encoded({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array {
  return Buffer.from(Buffer.from(buffer, byteOffset, byteLength).toString("base64"), "latin1");
}
