import * as fc from "fast-check";
import { expect } from "vitest";
import { createOciApp } from "./app.ts";
import { buildImage } from "./testing/build-image.ts";
import { createMemoryOciPorts } from "./testing/memory-ports.ts";

/** `pnpm test:extended` takes longer. */
const SECONDS = Number(process.env["SEALHOUSE_FUZZ_SECONDS"] ?? 1);
/** CPU time of one case, so that a busy machine does not count. */
const CASE_MS_MAX = 2_000;
export const RUNS = {
  numRuns: 1_000_000,
  interruptAfterTimeLimit: SECONDS * 1000,
  markInterruptAsFailure: false,
};
export const TIMEOUT_MS = SECONDS * 1000 + 60_000;
const SERVED = [200, 201, 202, 204, 206, 304, 307];
const REFUSED = [400, 401, 403, 404, 405, 409, 412, 413, 414, 416, 429];
const CODE = /^(?:BLOB|DENIED|DIGEST|MANIFEST|NAME|SIZE|TOOMANYREQUESTS|UNAUTHORIZED|UNSUPPORTED)/;

/** Content of `team/app` in every registry that a case opens. */
export const PARENT = buildImage({ layers: ["one", "two"], config: '{"os":"linux"}' });
/** Texts with a meaning in some context. */
const HOSTILE = [
  "",
  "..",
  "../../../etc/passwd",
  "%2e%2e",
  "a%2Fb",
  "a//b",
  "a\\b",
  "\u0000",
  "%00",
  "\ud800",
  "a".repeat(5_000),
  "A",
  "-",
  "a..b",
  "__proto__",
  "constructor",
  "sha256:",
  "sha256:baddigest",
  `sha256:${"A".repeat(64)}`,
  `sha256:${"0".repeat(63)}`,
  `sha384:${"0".repeat(96)}`,
  `sha512:${"0".repeat(128)}`,
  PARENT.digest,
  "_catalog",
  "uploads",
  "\r\nset-cookie: a=b",
  "9007199254740993",
  "1e999",
] as const;

export const hostileText = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: "binary" }));

/** A new registry each time, so that whatever is left behind is of this case. It holds `PARENT`. */
export async function openRegistry() {
  const ports = createMemoryOciPorts();
  const app = createOciApp(ports, { service: "registry.test" });
  for (const { digest, bytes } of PARENT.blobs) {
    const path = `/v2/team/app/blobs/uploads/?digest=${digest}`;
    await app.request(path, { method: "POST", body: new Uint8Array(bytes) });
  }
  expect((await putManifest(app, PARENT.bytes, PARENT.mediaType, PARENT.digest)).status).toBe(201);
  return { app, ports };
}

export type App = ReturnType<typeof createOciApp>;

export async function putManifest(app: App, bytes: Uint8Array, type: string, reference: string) {
  const headers = { "content-type": type };
  const body = new Uint8Array(bytes);
  return app.request(`/v2/team/app/manifests/${reference}`, { method: "PUT", headers, body });
}

/** The protocol's form of an answer, and never a failure of the host. */
export async function expectForm(answer: Response, method: string): Promise<void> {
  expect([...SERVED, ...REFUSED]).toContain(answer.status);
  if (answer.status < 400 || method === "HEAD") return;
  expect(answer.headers.get("content-type")).toBe("application/json");
  const text = await answer.clone().text();
  const { errors }: { errors: readonly { code: string }[] } = JSON.parse(text);
  expect(errors.length).toBeGreaterThan(0);
  for (const { code } of errors) expect(code).toMatch(CODE);
  expect(text.length).toBeLessThan(10_000);
}

/** Fails when it keeps the machine busy for too long. */
export async function timed(act: () => Promise<Response> | Response): Promise<Response> {
  const start = process.cpuUsage();
  const answer = await act();
  const { user, system } = process.cpuUsage(start);
  expect((user + system) / 1000).toBeLessThan(CASE_MS_MAX);
  return answer;
}

export function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** The bytes on the wire, unchanged. */
export function raw(text: string): string {
  return text.replaceAll(/[^!-~]/g, "").replaceAll(/[#?]/g, "");
}
