import type { DistTag } from "../dist-tag.ts";
import { parseDistTag } from "../dist-tag.ts";
import { NpmError } from "../errors.ts";
import type { PackageName } from "../package-name.ts";
import type { PackageVersion } from "../package-version.ts";
import { parsePackageVersion } from "../package-version.ts";
import type { Call } from "./call.ts";
import { authorizeNamed, json, notFound } from "./call.ts";
import { tagsFull } from "./change-package.ts";
import { readJson } from "./json-body.ts";

const BODY_BYTES_MAX = 4096;

/** `PUT` (or `POST`) with the version as a JSON text. */
export async function setDistTag(call: Call, name: PackageName, text: string): Promise<Response> {
  const caller = await authorizeNamed(call, { action: "tag", name });
  const tag = requireTag(text);
  const version = parseBody(await readJson(call, BODY_BYTES_MAX));
  const outcome = await call.ports.recorder.setTag(name, { tag, version }, caller);
  if (outcome === "tags-full") throw tagsFull(name);
  if (outcome === "absent") throw notFound(`${name} has no version ${version}`);
  return json(call, CHANGED);
}

/** yarn 1 takes an answer without `ok` for a failure. */
const CHANGED = { ok: true, success: true };

/** A package without `latest` could not be installed by its name alone, so that one stays. */
export async function removeDistTag(
  call: Call,
  name: PackageName,
  text: string,
): Promise<Response> {
  const caller = await authorizeNamed(call, { action: "tag", name });
  const tag = requireTag(text);
  if (tag === "latest") {
    throw new NpmError(
      "latest-required",
      "The tag latest cannot be removed, only moved: npm dist-tag add <name>@<version> latest.",
    );
  }
  const outcome = await call.ports.recorder.removeTag(name, tag, caller);
  if (outcome === "absent") throw notFound(`${name} has no dist-tag ${tag}`);
  return json(call, CHANGED);
}

function requireTag(text: string): DistTag {
  const tag = parseDistTag(text);
  if (tag) return tag;
  throw new NpmError(
    "tag-invalid",
    `${JSON.stringify(text.slice(0, 80))} cannot be a dist-tag: a tag is at most 128 characters ` +
      "that need no encoding in an address, and no version or version range.",
  );
}

function parseBody(bytes: Buffer): PackageVersion {
  const version = textIn(bytes);
  const parsed = version === undefined ? undefined : parsePackageVersion(version);
  if (parsed) return parsed;
  throw new NpmError("version-invalid", 'The body must be a version as a JSON text: "1.2.3".');
}

function textIn(bytes: Buffer): string | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined; // answered like every other body with an invalid version
  }
}
