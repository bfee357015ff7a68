import { writeSync } from "node:fs";
import { createOciApp } from "@sealhouse/oci-distribution";
import type { OciPorts, StagedBlob } from "@sealhouse/oci-distribution";
import { buildImage, createMemoryAccess } from "@sealhouse/oci-distribution/testing";
import type { TestBlob } from "@sealhouse/oci-distribution/testing";
import { createLog } from "../../src/log.ts";
import { loadConfig } from "../../src/settings/load.ts";
import { openResources } from "../../src/wiring/resources/registry-resources.ts";
import type { RegistryResources } from "../../src/wiring/resources/registry-resources.ts";
import { imageFiles } from "@sealhouse/feed";

/**
 * Pushes images through the registry on a real database and storage, and kills itself at the given
 * point of the second image. Prints every push that was answered with 201 before it continues.
 */
const [folder = "", point = "none"] = process.argv.slice(2);
const IMAGES = 3;
const LARGE = 400_000;
const armed = { now: false };

const env = { ASPNETCORE_ENVIRONMENT: "Development", Host__DataPath: folder };
const { config } = loadConfig({ env, workingFolder: folder });
const log = createLog({ level: "None", format: "Json" }, () => undefined);
await using resources = await openResources(config, { log, extensions: [], now: () => new Date() });
const app = createOciApp(crashing(resources), { service: "crash" });

for (let n = 1; n <= IMAGES; n += 1) {
  armed.now = n === 2;
  const layers = [`small ${n}`, `${n} large `.repeat(LARGE / 8), `${n} parts `.repeat(LARGE / 8)];
  const { blobs, mediaType, digest, bytes } = buildImage({ config: `{"n":${n}}`, layers });
  const [first, small, large, parts] = blobs;
  if (first) await postBlob(first);
  if (small) await patchBlob(small);
  if (large) await putBlob(large);
  if (parts) await patchBlob(parts);
  const headers = { "content-type": mediaType };
  const put = { method: "PUT", headers, body: Buffer.from(bytes) };
  await requireStatus(await app.request(`/v2/app/manifests/v${n}`, put), 201);
  writeSync(1, `tag v${n} ${digest}\n`);
}

async function postBlob({ digest, bytes }: TestBlob): Promise<void> {
  const init = { method: "POST", body: Buffer.from(bytes) };
  await requireStatus(await app.request(`/v2/app/blobs/uploads/?digest=${digest}`, init), 201);
  writeSync(1, `blob ${digest}\n`);
}

async function putBlob({ digest, bytes }: TestBlob): Promise<void> {
  const url = await openUpload();
  const init = { method: "PUT", body: Buffer.from(bytes) };
  await requireStatus(await app.request(`${url}?digest=${digest}`, init), 201);
  writeSync(1, `blob ${digest}\n`);
}

async function patchBlob({ digest, bytes }: TestBlob): Promise<void> {
  const url = await openUpload();
  const half = Math.floor(bytes.length / 2);
  for (const part of [bytes.subarray(0, half), bytes.subarray(half)]) {
    await requireStatus(await app.request(url, { method: "PATCH", body: Buffer.from(part) }), 202);
  }
  await requireStatus(await app.request(`${url}?digest=${digest}`, { method: "PUT" }), 201);
  writeSync(1, `blob ${digest}\n`);
}

async function openUpload(): Promise<string> {
  const opened = await app.request("/v2/app/blobs/uploads/", { method: "POST" });
  await requireStatus(opened, 202);
  return opened.headers.get("location") ?? "";
}

async function requireStatus(answer: Response, status: number): Promise<void> {
  if (answer.status === status) return;
  throw new Error(`${answer.status} instead of ${status}: ${await answer.text()}`);
}

/** The ports of the host, with a death after each step that makes something last. */
function crashing({ database, blobs }: RegistryResources): OciPorts {
  const { oci } = database;
  const files = imageFiles(blobs.oci);
  const access = createMemoryAccess([{ name: "anonymous", may: () => true }]);
  const fatal = (staged: StagedBlob): StagedBlob => ({
    ...staged,
    read: (range) => staged.read(range),
    keep: () => after(staged.size < LARGE / 2 ? "kept little" : "kept much", staged.keep()),
    [Symbol.asyncDispose]: () => staged[Symbol.asyncDispose](),
  });
  return {
    blobs: { ...oci.blobs, link: (...args) => after("linked", oci.blobs.link(...args)) },
    manifests: {
      ...oci.manifests,
      record: (...args) => after("recorded", oci.manifests.record(...args)),
    },
    uploads: {
      ...oci.uploads,
      create: (...args) => after("begun", oci.uploads.create(...args)),
      advance: (...args) => after("advanced", oci.uploads.advance(...args)),
    },
    files: {
      ...files,
      stage: async (...args) => fatal(await after("staged", files.stage(...args))),
      append: (...args) => after("appended", files.append(...args)),
      assemble: async (...args) => fatal(await after("assembled", files.assemble(...args))),
    },
    authorize: access.authorize,
    tokens: access.tokens,
    address: () => ({ base: "http://registry.test", cacheable: true }),
    count: () => undefined,
  };
}

async function after<T>(step: string, done: Promise<T>): Promise<T> {
  const result = await done;
  if (armed.now && step === point) {
    process.kill(process.pid, "SIGKILL");
    await new Promise(() => undefined);
  }
  return result;
}
