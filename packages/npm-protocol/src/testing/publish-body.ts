import { createHash } from "node:crypto";
import { buildTarball } from "./build-tarball.ts";

export type PublishWish = {
  readonly name?: string;
  readonly version?: string;
  readonly tag?: string;
  /** Further fields of package.json and of the manifest. */
  readonly manifest?: Readonly<Record<string, unknown>>;
  readonly tarball?: Buffer;
  readonly readme?: string;
  /** A Sigstore bundle, JSON text. */
  readonly provenance?: string;
  /** As which client: they differ in the order of keys and in what they add. */
  readonly style?: "npm" | "pnpm" | "yarn";
  /** Put over the finished document. */
  readonly overrides?: Readonly<Record<string, unknown>>;
};

/** The body that a client sends to publish a package. */
export function publishBody(wish: PublishWish = {}): string {
  const { name = "demo", version = "1.0.0", tag = "latest", style = "npm", manifest } = wish;
  const tarball = wish.tarball ?? buildTarball({ name, version, ...(manifest && { manifest }) });
  const sent = {
    ...(style !== "yarn" && { _id: `${name}@${version}` }),
    name,
    version,
    ...manifest,
    ...(style !== "pnpm" && { _nodeVersion: "24.21.0", _npmVersion: "12.2.0" }),
    dist: {
      integrity: `sha512-${createHash("sha512").update(tarball).digest("base64")}`,
      shasum: createHash("sha1").update(tarball).digest("hex"),
      tarball: `http://registry.test/${name}/-/${name}-${version}.tgz`,
    },
  };
  const head = { _id: name, name };
  const meta = {
    ...(wish.readme !== undefined && { readme: wish.readme }),
    "dist-tags": { [tag]: version },
    versions: { [version]: sent },
    access: null,
  };
  const attachment = {
    content_type: "application/octet-stream",
    data: tarball.toString("base64"),
    length: tarball.length,
  };
  const bundle = wish.provenance !== undefined && {
    [`${name}-${version}.sigstore`]: {
      content_type: "application/vnd.dev.sigstore.bundle.v0.3+json",
      data: wish.provenance,
      length: wish.provenance.length,
    },
  };
  const attachments = {
    _attachments: { [`${name}-${version}.tgz`]: attachment, ...bundle },
  };
  const document =
    style === "yarn" ? { ...head, ...attachments, ...meta } : { ...head, ...meta, ...attachments };
  return JSON.stringify({ ...document, ...wish.overrides });
}
