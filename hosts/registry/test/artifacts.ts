import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { buildTarball } from "@sealhouse/npm-protocol/testing";
import type { TestHost } from "../src/testing/index.ts";

/** A host by its address, in a process of the test or in a container. */
export type Served = Pick<TestHost, "url" | "fetch">;

/** One artifact of one protocol: how it goes in, and what must come out again. */
export type Artifact = {
  readonly name: string;
  /** Resolves to whether the host acknowledged it; rejects when the connection broke. */
  push(host: Served, token: string): Promise<boolean>;
  /** `absent`, or whether all bytes are unchanged since the push. */
  check(host: Served): Promise<"absent" | "whole" | "broken">;
};

export function nugetArtifact(id: string, content: Uint8Array): Artifact {
  const lower = id.toLowerCase();
  const nupkg = Buffer.from(
    buildNupkg({ id, version: "1.0.0", files: { "content/bytes.bin": content } }),
  );
  return {
    name: `nuget ${id}`,
    async push(host, token) {
      const answer = await host.fetch("/api/v2/package/", {
        method: "PUT",
        headers: { "x-nuget-apikey": token, "content-type": "application/octet-stream" },
        body: nupkg,
      });
      await answer.arrayBuffer();
      return answer.status === 201;
    },
    async check(host) {
      const listed = await host.fetch(`/v3/package/${lower}/index.json`);
      await listed.arrayBuffer();
      if (listed.status === 404) return "absent";
      const path = `/v3/package/${lower}/1.0.0/${lower}.1.0.0.nupkg`;
      const answer = await host.fetch(path);
      const served = Buffer.from(await answer.arrayBuffer());
      // What was signed starts with what was pushed, up to the central directory.
      const prefix = nupkg.subarray(0, nupkg.readUInt32LE(nupkg.length - 6));
      const whole = answer.status === 200 && served.subarray(0, prefix.length).equals(prefix);
      return whole ? "whole" : "broken";
    },
  };
}

export function npmArtifact(name: string, content: Uint8Array): Artifact {
  const version = "1.0.0";
  const manifest = { name, version };
  const tarball = buildTarball({ ...manifest, files: { "bytes.bin": content } });
  const body = JSON.stringify({
    _id: name,
    name,
    "dist-tags": { latest: version },
    versions: { [version]: manifest },
    _attachments: {
      [`${name}-${version}.tgz`]: {
        content_type: "application/octet-stream",
        data: tarball.toString("base64"),
        length: tarball.length,
      },
    },
  });
  return {
    name: `npm ${name}`,
    async push(host, token) {
      const answer = await host.fetch(`/npm/${name}`, {
        method: "PUT",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body,
      });
      await answer.arrayBuffer();
      return answer.status === 200 || answer.status === 201;
    },
    async check(host) {
      const packument = await host.fetch(`/npm/${name}`);
      await packument.arrayBuffer();
      if (packument.status === 404) return "absent";
      const answer = await host.fetch(`/npm/${name}/-/${name}-${version}.tgz`);
      const served = Buffer.from(await answer.arrayBuffer());
      return answer.status === 200 && served.equals(tarball) ? "whole" : "broken";
    },
  };
}

export function ociArtifact(repository: string, content: Uint8Array): Artifact {
  const layer = gzipSync(content, { level: 0 });
  const config = Buffer.from(JSON.stringify({ architecture: "amd64", os: "linux", repository }));
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: MANIFEST,
      config: descriptor("application/vnd.oci.image.config.v1+json", config),
      layers: [descriptor("application/vnd.oci.image.layer.v1.tar+gzip", layer)],
    }),
  );
  return {
    name: `oci ${repository}`,
    async push(host, token) {
      const headers = { authorization: `Basic ${Buffer.from(`t:${token}`).toString("base64")}` };
      for (const blob of [config, layer]) {
        const opened = await host.fetch(`/v2/${repository}/blobs/uploads/`, {
          method: "POST",
          headers,
        });
        await opened.arrayBuffer();
        const session = new URL(opened.headers.get("location") ?? "", host.url);
        session.searchParams.set("digest", digestOf(blob));
        const put = { method: "PUT", headers, body: blob };
        const closed = await host.fetch(`${session.pathname}${session.search}`, put);
        await closed.arrayBuffer();
        if (closed.status !== 201) return false;
      }
      const answer = await host.fetch(`/v2/${repository}/manifests/1.0`, {
        method: "PUT",
        headers: { ...headers, "content-type": MANIFEST },
        body: manifest,
      });
      await answer.arrayBuffer();
      return answer.status === 201;
    },
    async check(host) {
      const headers = await anonymousBearer(host, repository);
      const tagged = await host.fetch(`/v2/${repository}/manifests/1.0`, { headers });
      const served = Buffer.from(await tagged.arrayBuffer());
      if (tagged.status === 404) return "absent";
      if (!served.equals(manifest)) return "broken";
      for (const blob of [config, layer]) {
        const answer = await host.fetch(`/v2/${repository}/blobs/${digestOf(blob)}`, { headers });
        if (!Buffer.from(await answer.arrayBuffer()).equals(blob)) return "broken";
      }
      return "whole";
    },
  };
}

const MANIFEST = "application/vnd.oci.image.manifest.v1+json";

async function anonymousBearer(
  host: Served,
  repository: string,
): Promise<{ authorization: string }> {
  const answer = await host.fetch(`/token?service=test&scope=repository:${repository}:pull`);
  const { token } = (await answer.json()) as { token: string };
  return { authorization: `Bearer ${token}` };
}

function descriptor(mediaType: string, bytes: Uint8Array) {
  return { mediaType, digest: digestOf(bytes), size: bytes.length };
}

function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}
