import { createHash, randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { expectStatus } from "./expect-status.ts";

export type NpmFeed = { readonly url: string; readonly token: string };

/** Publishes a version whose tarball holds so many bytes that do not compress. */
export async function publishNpmVersion(
  { url, token }: NpmFeed,
  { name, version, bytes }: { readonly name: string; version: string; readonly bytes: number },
): Promise<void> {
  const answer = await fetch(`${url}/${name}`, {
    method: "PUT",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      // While a large body is made, servers close connections that stand open.
      connection: "close",
    },
    body: JSON.stringify(publishBody({ name, version, bytes })),
  });
  await expectStatus(answer, 200, 201);
}

function publishBody(wanted: { name: string; version: string; bytes: number }): unknown {
  const { name, version, bytes } = wanted;
  const manifest = {
    name,
    version,
    description: "for the benchmarks",
    main: "index.js",
    license: "MIT",
    keywords: ["bench", "registry"],
    repository: { type: "git", url: `git+https://example.com/${name}.git` },
    scripts: { test: "node --test", build: "tsc -p ." },
    dependencies: { "bench-one": "^1.0.0", "bench-two": "^2.0.0" },
    engines: { node: ">=20" },
  };
  const files = [
    tarEntry("package/package.json", Buffer.from(JSON.stringify(manifest))),
    ...(bytes > 0 ? [tarEntry("package/data.bin", randomBytes(bytes))] : []),
  ];
  const tarball = gzipSync(Buffer.concat([...files, Buffer.alloc(1024)]), { level: 1 });
  const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
  const shasum = createHash("sha1").update(tarball).digest("hex");
  const address = `http://localhost/${name}/-/${name}-${version}.tgz`;
  return {
    _id: name,
    name,
    "dist-tags": { latest: version },
    versions: { [version]: { ...manifest, dist: { integrity, shasum, tarball: address } } },
    _attachments: {
      [`${name}-${version}.tgz`]: {
        content_type: "application/octet-stream",
        data: tarball.toString("base64"),
        length: tarball.length,
      },
    },
  };
}

/** One file of a tar archive (POSIX ustar). */
function tarEntry(path: string, content: Uint8Array): Buffer {
  const header = Buffer.alloc(512);
  header.write(path, 0);
  header.write("0000644\0", 100);
  header.write(`${content.length.toString(8).padStart(11, "0")}\0`, 124);
  header.write("00000000000\0", 136);
  header.write("        0", 148);
  header.write("ustar\x0000", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  const body = Buffer.alloc(Math.ceil(content.length / 512) * 512);
  body.set(content);
  return Buffer.concat([header, body]);
}
