import { randomBytes } from "node:crypto";
import type { ClientRequest, OutgoingHttpHeaders } from "node:http";
import { request } from "node:http";
import { text } from "node:stream/consumers";
import { buildNupkg, buildPdb, buildSnupkg } from "@sealhouse/nuget-protocol/testing";
import { buildTarball, publishBody } from "@sealhouse/npm-protocol/testing";
import { blobOf, buildImage } from "@sealhouse/oci-distribution/testing";
import type { TestManifest } from "@sealhouse/oci-distribution/testing";
import type { TestHost } from "../src/testing/index.ts";

/** One request that changes something, and how to see that it changed nothing. */
export type Write = {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
  /** The state that a reader sees, compared before and after. */
  readonly seen: (host: TestHost, authorization: string) => Promise<string>;
};

export type Answer = { readonly status: number; readonly text: string; readonly closed: boolean };

/** A request of which half was sent. */
export type HalfSent = {
  readonly write: Write;
  finish(): Promise<Answer>;
  /** Resolves without anything more being sent. */
  readonly answer: Promise<Answer>;
};

/** Sends the head of a request and half of its body. */
export async function sendHalf(host: TestHost, write: Write): Promise<HalfSent> {
  const { method, path, headers, body } = write;
  const half = Math.floor(body.length / 2);
  const asking = request(`${host.url}${path}`, {
    method,
    agent: false,
    headers: { ...headers, "content-length": body.length },
  });
  const answer = answerOf(asking);
  answer.catch(() => undefined);
  await new Promise<void>((resolve) => {
    asking.write(body.subarray(0, half), () => resolve());
  });
  return {
    write,
    answer,
    finish() {
      asking.end(body.subarray(half));
      return answer;
    },
  };
}

function answerOf(asking: ClientRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    asking.once("error", reject).once("response", (response) => {
      const closed = response.headers.connection === "close";
      text(response).then(
        (body) => resolve({ status: response.statusCode ?? 0, text: body, closed }),
        reject,
      );
    });
  });
}

const json = { "content-type": "application/json" };
const octets = { "content-type": "application/octet-stream" };

/** npm's: a package `base` has to be there. */
export function npmWrites(authorization: string, base: string): readonly Write[] {
  const headers = { ...json, authorization };
  const see = (path: string) => shown(`/npm${path}`);
  const makeWrite = (name: string, part: Omit<Write, "name" | "headers">): Write => ({
    name: `npm: ${name}`,
    headers,
    ...part,
  });
  const tarball = buildTarball({ name: `${base}-new`, files: { big: randomBytes(200_000) } });
  const trust = {
    type: "github",
    claims: { repository: "evil/repo", workflow_ref: { file: "publish.yml" } },
    permissions: ["createPackage"],
  };
  const bodyOf = (body: unknown) => Buffer.from(JSON.stringify(body));
  return [
    makeWrite("publish", {
      method: "PUT",
      path: `/npm/${base}-new`,
      body: Buffer.from(publishBody({ name: `${base}-new`, tarball })),
      seen: see(`/${base}-new`),
    }),
    makeWrite("publish of another version", {
      method: "PUT",
      path: `/npm/${base}`,
      body: Buffer.from(publishBody({ name: base, version: "2.0.0" })),
      seen: see(`/${base}`),
    }),
    makeWrite("dist-tag", {
      method: "PUT",
      path: `/npm/-/package/${base}/dist-tags/beta`,
      body: bodyOf("1.0.0"),
      seen: see(`/-/package/${base}/dist-tags`),
    }),
    makeWrite("trusted publisher", {
      method: "POST",
      path: `/npm/-/package/${base}/trust`,
      body: bodyOf([trust]),
      seen: see(`/-/package/${base}/trust`),
    }),
    makeWrite("deprecation", {
      method: "PUT",
      path: `/npm/${base}`,
      body: bodyOf({
        _id: base,
        name: base,
        versions: { "1.0.0": { name: base, version: "1.0.0", deprecated: "evil" } },
      }),
      seen: see(`/${base}`),
    }),
    makeWrite("token", {
      method: "POST",
      path: "/npm/-/npm/v1/tokens",
      body: bodyOf({
        password: "",
        name: "left behind",
        packages_and_scopes_permission: "read-write",
      }),
      seen: async (host) => {
        const { stdout } = await host.cli("token", "list", "--json");
        return String(stdout.includes("left behind"));
      },
    }),
  ];
}

/** NuGet's: a package `base` 1.0.0 has to be there. */
export function nugetWrites(token: string, base: string): readonly Write[] {
  const headers = { ...octets, "x-nuget-apikey": token };
  const lower = base.toLowerCase();
  const makeWrite = (name: string, part: Omit<Write, "name" | "headers">): Write => ({
    name: `nuget: ${name}`,
    headers,
    ...part,
  });
  const files = { "content/bytes.bin": randomBytes(100_000) };
  const pdb = buildPdb({ content: "left behind" });
  return [
    makeWrite("push", {
      method: "PUT",
      path: "/api/v2/package",
      body: Buffer.from(buildNupkg({ id: base, version: "2.0.0", files })),
      seen: shown(`/v3/package/${lower}/index.json`),
    }),
    makeWrite("symbols", {
      method: "PUT",
      path: "/api/v2/symbolpackage",
      body: Buffer.from(
        buildSnupkg({ id: base, version: "1.0.0", files: { "lib/base.pdb": pdb } }),
      ),
      seen: shown(`/v3/symbols/${lower}`),
    }),
    {
      ...makeWrite("deprecation", {
        method: "PUT",
        path: `/api/v2/package/${base}/deprecations`,
        body: Buffer.from(
          JSON.stringify({ versions: ["1.0.0"], isLegacy: true, message: "left behind" }),
        ),
        seen: shown(`/v3/registration/${lower}/index.json`),
      }),
      headers: { ...json, "x-nuget-apikey": token },
    },
  ];
}

export type OciPlaces = {
  /** Parts of an image whose blobs are stored and whose manifest is not. */
  readonly image: TestManifest;
  /** A location of a fresh upload for each way to use one. */
  readonly uploads: Readonly<Record<"small" | "chunk" | "close" | "closeKnown", string>>;
};

/** Writes of images; `authorization` may be a bearer token. */
export function ociWrites(authorization: string, repository: string, places: OciPlaces) {
  const { image, uploads } = places;
  const headers = { ...octets, authorization };
  const root = `/v2/${repository}`;
  const small = blobOf(randomBytes(2_000));
  const large = blobOf(randomBytes(400_000));
  const put = (name: string, location: string, blob = large): Write => ({
    name: `oci: ${name}`,
    method: "PUT",
    path: `${location}?digest=${blob.digest}`,
    headers,
    body: Buffer.from(blob.bytes),
    seen: shown(`${root}/blobs/${blob.digest}`),
  });
  const patch = (name: string, location: string, bytes: Uint8Array): Write => ({
    name: `oci: ${name}`,
    method: "PATCH",
    path: location,
    headers,
    body: Buffer.from(bytes),
    // The owner of the upload was deleted, and no other caller sees it.
    seen: async () => "",
  });
  const writes: readonly Write[] = [
    {
      name: "oci: manifest",
      method: "PUT",
      path: `${root}/manifests/evil`,
      headers: { ...headers, "content-type": image.mediaType },
      body: Buffer.from(image.bytes),
      seen: shown(`${root}/tags/list`),
    },
    {
      ...put("blob in one request", "", small),
      method: "POST",
      path: `${root}/blobs/uploads/?digest=${small.digest}`,
    },
    patch("small chunk", uploads.small, small.bytes),
    patch("chunk", uploads.chunk, large.bytes),
    put("last chunk", uploads.close),
    put("last chunk of a known blob", uploads.closeKnown, image.blobs[0] ?? small),
  ];
  return writes;
}

/** An image of which everything but the manifest is pushed. */
export async function pushBlobs(host: TestHost, authorization: string, repository: string) {
  const image = buildImage({ layers: [randomBytes(300_000)] });
  for (const { digest, bytes } of image.blobs) {
    const path = `/v2/${repository}/blobs/uploads/?digest=${digest}`;
    const headers = { authorization, ...octets };
    const answer = await host.fetch(path, { method: "POST", headers, body: Buffer.from(bytes) });
    await answer.arrayBuffer();
    if (answer.status !== 201) throw new Error(`blob: ${answer.status}`);
  }
  return image;
}

export async function startUpload(host: TestHost, authorization: string, repository: string) {
  const path = `/v2/${repository}/blobs/uploads/`;
  const answer = await host.fetch(path, { method: "POST", headers: { authorization } });
  const location = answer.headers.get("location") ?? "";
  return new URL(location, host.url).pathname;
}

function shown(path: string): Write["seen"] {
  return async (host, authorization) => {
    const answer = await host.fetch(path, { headers: { authorization } });
    return `${answer.status} ${await answer.text()}`;
  };
}
