import type { Caller } from "@sealhouse/request-types";
import type { Digest } from "../../digest.ts";
import { OciError } from "../../errors.ts";
import { recordManifest } from "../../manifest/record-manifest.ts";
import type { RepositoryName } from "../../repository-name.ts";
import { createUploadIds } from "../../upload/upload-ids.ts";
import { appendChunk, closeUpload, storeBlob } from "../../upload/upload.ts";
import type { Content } from "./content.ts";
import { PLAIN_TAGS, blobDigests, bytesOf, contents, repositories, systemTags } from "./content.ts";
import type { Oracle } from "./oracle.ts";
import { Violation } from "./oracle.ts";
import type { Random } from "./random.ts";
import type { RegistryPorts } from "./watched-ports.ts";

export type Client = RegistryPorts & {
  readonly random: Random;
  readonly oracle: Oracle;
  readonly pause: () => Promise<void>;
  readonly now: () => number;
  readonly newId: () => string;
};

/** The requests of one client, from first to last. */
export type Operation = (client: Client) => Promise<void>;

const caller: Caller = { actor: "client" };

/** By how often they come. */
export const operations: readonly (readonly [name: string, operation: Operation])[] = [
  ["push", pushSomething],
  ["push", pushSomething],
  ["push", pushSomething],
  ["push a system tag", pushSystemTag],
  ["put blindly", putBlindly],
  ["put blindly", putBlindly],
  ["retag", retag],
  ["retag", retag],
  ["pull", pullSomething],
  ["pull", pullSomething],
  ["mount", mountSomething],
  ["delete a tag", deleteTag],
  ["delete a tag", deleteTag],
  ["delete a manifest", deleteManifest],
  ["delete a blob", deleteBlob],
  ["hold", hold],
];

async function pushSomething(client: Client): Promise<void> {
  const { random } = client;
  const tags = random.chance(0.7) ? [random.pick(PLAIN_TAGS)] : [];
  await push(client, random.pick(repositories), random.pick(contents), tags);
}

async function pushSystemTag(client: Client): Promise<void> {
  const { tag, content } = client.random.pick(systemTags);
  await push(client, client.random.pick(repositories), content, [tag]);
}

/** Relies on what was pushed some time ago, and pushes what is missing when it must. */
async function putBlindly(client: Client): Promise<void> {
  const [repository, content] = [client.random.pick(repositories), client.random.pick(contents)];
  const tags = client.random.chance(0.5) ? [client.random.pick(PLAIN_TAGS)] : [];
  if (await put(client, repository, content, tags)) return;
  await push(client, repository, content, tags);
}

/** Children first, blobs before manifests, HEAD before upload: as every client does. */
async function push(
  client: Client,
  repository: RepositoryName,
  content: Content,
  tags: readonly string[],
): Promise<void> {
  // A client that is slower than the minimum age may have to start again.
  for (let attempt = 0; attempt < 3; attempt += 1) {
    for (const child of content.children) {
      if (await client.manifests.find(repository, child.digest)) continue;
      await push(client, repository, child, []);
    }
    for (const digest of content.blobs) {
      if (await client.blobs.find(repository, digest)) continue;
      await upload(client, repository, digest);
    }
    if (await put(client, repository, content, tags)) return;
  }
}

/** False when something is missing. */
async function put(
  { manifests }: Client,
  repository: RepositoryName,
  { digest, mediaType, bytes, edges, subject }: Content,
  tags: readonly string[],
): Promise<boolean> {
  const manifest = { repository, digest, mediaType, bytes, edges, tags };
  try {
    await recordManifest(manifests, { ...manifest, ...(subject && { subject }) }, caller);
    return true;
  } catch (error) {
    if (error instanceof OciError && error.code === "MANIFEST_BLOB_UNKNOWN") return false;
    throw error;
  }
}

async function upload(client: Client, repository: RepositoryName, digest: Digest): Promise<void> {
  const { random, uploads, now } = client;
  const ids = createUploadIds({ key: Buffer.from("any"), now });
  const uploading = { ...client, ids, maxBlobBytes: 1_000 };
  const bytes = bytesOf(digest);
  const way = random.below(4);
  if (way === 0 && (await mount(client, repository, digest))) return;
  if (way <= 1) {
    await storeBlob(uploading, repository, chunkOf(bytes), digest);
    return;
  }
  const session = ids.begin({ repository, owner: caller.actor });
  if (way === 2) {
    // What names its range is hashed alone where the same bytes are known.
    const whole = { ...chunkOf(bytes), ...rangeOf(bytes, random) };
    try {
      await closeUpload(uploading, session, whole, digest);
    } catch (error) {
      if (!(error instanceof OciError && error.status === 409)) throw error;
      await upload(client, repository, digest);
    }
    return;
  }
  // What names its range is written as a file, what does not is kept with the session.
  await appendChunk(uploading, session, { ...chunkOf(bytes), ...rangeOf(bytes, random) });
  const stored = await uploads.find(session.id);
  await closeUpload(uploading, stored ?? session, chunkOf(new Uint8Array()), digest);
}

function rangeOf(bytes: Uint8Array, random: Random) {
  return random.chance(0.5) ? { range: { start: 0, end: bytes.length - 1 } } : {};
}

function chunkOf(bytes: Uint8Array) {
  return { body: once(bytes), length: bytes.length };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}

function mount({ blobs }: Client, repository: RepositoryName, digest: Digest): Promise<boolean> {
  return blobs.mount(repository, digest, { mayPull: () => true });
}

async function mountSomething(client: Client): Promise<void> {
  await mount(client, client.random.pick(repositories), client.random.pick(blobDigests));
}

async function retag(client: Client): Promise<void> {
  const { random, manifests } = client;
  const [repository, content] = [random.pick(repositories), random.pick(contents)];
  if (!(await manifests.find(repository, content.digest))) return;
  await put(client, repository, content, [random.pick(PLAIN_TAGS)]);
}

async function pullSomething(client: Client): Promise<void> {
  const { random } = client;
  const tag = random.chance(0.7);
  const reference = tag ? random.pick(PLAIN_TAGS) : random.pick(contents).digest;
  await pull(client, random.pick(repositories), reference);
}

async function pull(client: Client, repository: RepositoryName, reference: string): Promise<void> {
  const manifest = await client.manifests.find(repository, reference);
  const content = contents.find(({ digest }) => digest === manifest?.digest);
  for (const child of content?.children ?? []) await pull(client, repository, child.digest);
  for (const digest of content?.blobs ?? []) await download(client, repository, digest);
}

async function download(client: Client, repository: RepositoryName, digest: Digest): Promise<void> {
  const blob = await client.blobs.find(repository, digest);
  if (!blob) return;
  await client.pause();
  try {
    for await (const bytes of client.files.open(blob).read()) {
      if (!Buffer.from(bytes).equals(bytesOf(digest)))
        throw new Violation(`${digest} is not itself`);
    }
  } catch (error) {
    if (error instanceof Violation) throw error;
    if (!client.oracle.isPromised(repository, digest)) return;
    throw new Violation(`${repository}@${digest} was found, and cannot be read`, { cause: error });
  }
}

async function deleteTag({ random, manifests }: Client): Promise<void> {
  await manifests.deleteTag(random.pick(repositories), random.pick(PLAIN_TAGS), caller);
}

async function deleteManifest({ random, manifests }: Client): Promise<void> {
  const { digest } = random.pick(contents);
  await manifests.deleteManifest(random.pick(repositories), digest, caller);
}

async function deleteBlob({ random, blobs }: Client): Promise<void> {
  await blobs.unlink(random.pick(repositories), random.pick(blobDigests));
}

const HOLD_MS = 36 * 3_600_000;

/** A promotion: it holds what it copies, and releases it at the end unless it crashes. */
async function hold({ random, holds, oracle, newId, now, pause }: Client): Promise<void> {
  const { digest } = random.pick(contents);
  const [holder, until] = [newId(), now() + HOLD_MS];
  await pause();
  await holds.hold([digest], holder, new Date(until));
  oracle.held(holder, digest, until);
  await pause();
  await holds.release(holder);
  oracle.released(holder);
}
