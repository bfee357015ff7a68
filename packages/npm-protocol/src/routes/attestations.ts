import { parseOldPackageName } from "../package-name.ts";
import { parsePackageVersion } from "../package-version.ts";
import type { Call } from "./call.ts";
import { authorizeRead, notFound } from "./call.ts";
import { sendJson } from "./send-json.ts";

/** `/-/npm/v1/attestations/{package}@{version}`; what stands after `attestations` is `segments`. */
export async function readAttestations(call: Call, segments: readonly string[]): Promise<Response> {
  const text = segments.join("/");
  const separator = text.lastIndexOf("@");
  const name = parseOldPackageName(text.slice(0, Math.max(separator, 0)));
  const version = parsePackageVersion(text.slice(separator + 1));
  if (!name || !version) throw notFound();
  const readCall = await authorizeRead(call, name);
  const { attestations: stored, upstream } = call.ports;
  // A source may have more statements than were stored with the tarball.
  const fromSource = await upstream.attestations(name, version);
  const attestations = fromSource.length > 0 ? fromSource : await stored.of(name, version);
  if (attestations.length === 0) throw notFound();
  const entries = attestations.map(
    ({ predicateType, bundle }) =>
      `{"predicateType":${JSON.stringify(predicateType)},"bundle":${bundle}}`,
  );
  const body = `{"attestations":[${entries.join(",")}]}`;
  return sendJson(readCall, body, { isSameForAll: true });
}
