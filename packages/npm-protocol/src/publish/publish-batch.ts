import type { Caller } from "@sealhouse/request-types";
import { NpmError } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import type { PackageName } from "../package-name.ts";
import { parseOldPackageName } from "../package-name.ts";
import type { BatchPublished, NpmPorts } from "../ports.ts";
import type { SavedBlob } from "../npm-version.ts";
import type { PublishUpload, Received, ReceivePorts } from "./publish.ts";
import { receiveDocument } from "./publish.ts";
import { splitBatch } from "./split-batch.ts";

/** Each keeps its staged tarball open until all are there. */
const PACKAGES_MAX = 256;

export type BatchUpload = Omit<PublishUpload, "name" | "onRevision"> & {
  /**
   * Returns the caller with its rights on this package. Throws where the caller may not publish it.
   */
  readonly requirePublish: (name: PackageName) => Promise<Caller>;
};

export type BatchOutcome = {
  readonly recorded: BatchPublished;
  readonly received: readonly Received[];
};

/**
 * Accepts a publish of `pnpm publish -r --batch`: several publish documents in one body, of which
 * all are stored or none.
 * @throws NpmError for the first document that the protocol, the tarball rules or the caller's
 *   rights forbid
 */
export async function publishBatch(
  ports: ReceivePorts & Pick<NpmPorts, "recorder" | "count">,
  upload: BatchUpload,
): Promise<BatchOutcome> {
  const documents = splitBatch(upload.body);
  try {
    const callers = new Map<string, Caller>();
    return await receiveNext(ports, { upload, documents, received: [], callers });
  } finally {
    await documents.return();
  }
}

type Receiving = {
  readonly upload: BatchUpload;
  readonly documents: ReturnType<typeof splitBatch>;
  readonly received: readonly Received[];
  /** By package name. */
  readonly callers: Map<string, Caller>;
};

/** Each document is read within the one before it, whose staged bytes are needed to the end. */
async function receiveNext(
  ports: ReceivePorts & Pick<NpmPorts, "recorder" | "count">,
  { upload, documents, received, callers }: Receiving,
): Promise<BatchOutcome> {
  const { value: body, done } = await documents.next();
  if (done === true) return record(ports, { upload, received, callers });
  if (received.length === PACKAGES_MAX) {
    throw new NpmError("too-large", `A batch has at most ${PACKAGES_MAX} packages.`);
  }
  const { requirePublish, ...rest } = upload;
  let isReceived = false;
  const nameOf = async (document: JsonObject) => {
    const name = nameIn(document);
    callers.set(name, await requirePublish(name));
    return name;
  };
  try {
    const outcome = await receiveDocument(
      ports,
      { ...rest, body, onRevision: false, nameOf },
      async (receivedPackage) => {
        isReceived = true;
        const all = [...received, receivedPackage];
        return receiveNext(ports, { upload, documents, received: all, callers });
      },
    );
    if ("recorded" in outcome) return outcome;
    throw new NpmError("document-invalid", "A document has no tarball in _attachments.");
  } catch (error) {
    if (isReceived || !(error instanceof NpmError)) throw error;
    throw ofBatch(error, received.length + 1);
  }
}

/** Names the refused package of a batch; refusals of rights keep their own text. */
function ofBatch(error: NpmError, position: number): NpmError {
  const message = `Package ${position} of the batch: ${sentence(error.message)} ${NOTHING}`;
  const { code, headers, more } = error;
  return new NpmError(code, message, { cause: error, headers, more });
}

const NOTHING = "Nothing was published.";

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function nameIn({ name, ecosystem = "npm" }: JsonObject): PackageName {
  if (ecosystem !== "npm") {
    throw new NpmError("unsupported", "A batch holds npm packages only.");
  }
  const parsed = typeof name === "string" ? parseOldPackageName(name) : undefined;
  if (parsed) return parsed;
  const shown = JSON.stringify(name)?.slice(0, 100) ?? "nothing";
  throw new NpmError("name-invalid", `${shown} is not a package name.`);
}

async function record(
  { recorder, count }: Pick<NpmPorts, "recorder" | "count">,
  { upload: { caller }, received, callers }: Omit<Receiving, "documents">,
): Promise<BatchOutcome> {
  if (received.length === 0) {
    throw new NpmError("document-invalid", "The batch has no packages.");
  }
  const savedBlobs: (SavedBlob & { discard(): Promise<void> })[] = [];
  for (const { staged } of received) savedBlobs.push(await staged.keep());
  const versions = received.flatMap(({ version }, index) => {
    const blob = savedBlobs[index];
    return blob ? [{ ...version, blob }] : [];
  });
  const recorded = await recorder.publishAll(versions, caller, callers);
  for (const [index, blob] of savedBlobs.entries()) {
    const outcome = recorded.status === "published" ? recorded.outcomes[index] : undefined;
    const isNamed = outcome?.status === "published";
    if (isNamed) count("push");
    if (!isNamed || outcome.isDuplicate) await blob.discard();
  }
  return { recorded, received };
}
