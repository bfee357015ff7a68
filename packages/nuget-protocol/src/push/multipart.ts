import type { Readable } from "node:stream";
import type { BusboyInstance } from "@fastify/busboy";
import { Busboy } from "@fastify/busboy";
import { NuGetError } from "../errors.ts";

type Feed = {
  /** Lets a write that waits for its reader go, when the reader is gone. */
  release: () => void;
  fail: (error: unknown) => void;
  isStopped: boolean;
};

/**
 * The package in an upload: the first part of a multipart form, whatever its name, or the body
 * itself. Nothing is buffered; leaving the loop early stops reading the body.
 * @throws {NuGetError} `invalid` for a truncated form or a form without a part
 */
export async function* packageBytes(
  body: AsyncIterable<Uint8Array>,
  contentType: string | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (contentType === undefined || !/^\s*multipart\/form-data\b/i.test(contentType)) {
    yield* body;
    return;
  }
  const parser = parserFor(contentType.trim());
  const form = withCrLfEnd(body, boundaryOf(contentType));
  const feed: Feed = { release: nothing, fail: nothing, isStopped: false };
  const firstFile = Promise.withResolvers<Readable>();
  let part: Readable | undefined;
  parser.once("file", (_, file) => {
    // The parser reports its errors here too; what the feed throws is what counts.
    file.on("error", nothing);
    part = file;
    firstFile.resolve(file);
  });
  const fed = feedBody(parser, form, feed).then(
    () => firstFile.reject(invalid("The upload has no file in it.")),
    (error: unknown) => {
      firstFile.reject(error);
      part?.destroy(error instanceof Error ? error : new Error(String(error)));
      throw error;
    },
  );
  fed.catch(nothing);
  try {
    yield* await firstFile.promise;
    await fed;
  } catch (error) {
    // What broke the feed says more than what the part noticed of it.
    await fed;
    throw error;
  } finally {
    feed.isStopped = true;
    feed.release();
  }
}

function parserFor(contentType: string): BusboyInstance {
  try {
    return new Busboy({
      headers: { "content-type": contentType },
      isPartAFile: () => true,
      limits: { files: 1 },
    });
  } catch (cause) {
    throw invalid("The upload names no multipart boundary.", cause);
  }
}

function boundaryOf(contentType: string): string {
  const [, quoted, bare] = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType) ?? [];
  return quoted ?? bare ?? "";
}

/** Paket ends a form with the line ends of its machine: LF where the format demands CRLF. */
async function* withCrLfEnd(
  body: AsyncIterable<Uint8Array>,
  boundary: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const end = `--${boundary}--`;
  const endSize = end.length + 4;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    for (let [first] = chunks; first && size - first.length >= endSize; [first] = chunks) {
      yield first;
      size -= first.length;
      chunks.shift();
    }
  }
  const tail = Buffer.concat(chunks);
  const text = tail.toString("latin1");
  const index = text.indexOf(`\n${end}`);
  const isLf =
    index >= 0 && text[index - 1] !== "\r" && /^\r?\n?$/.test(text.slice(index + 1 + end.length));
  yield isLf ? Buffer.from(`${text.slice(0, index)}\r\n${end}\r\n`, "latin1") : tail;
}

async function feedBody(
  parser: BusboyInstance,
  body: AsyncIterable<Uint8Array>,
  feed: Feed,
): Promise<void> {
  parser.on("error", (cause: unknown) => {
    feed.fail(invalid("The upload is not a complete multipart form.", cause));
  });
  for await (const chunk of body) {
    await settled(feed, (done) => parser.write(chunk, done));
    if (feed.isStopped) return;
  }
  await settled(feed, (done) => {
    parser.once("finish", () => done());
    parser.end();
  });
}

function settled(feed: Feed, start: (done: (error?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    feed.release = resolve;
    feed.fail = reject;
    start((cause) => (cause ? reject(invalid("The upload is damaged.", cause)) : resolve()));
  });
}

function invalid(problem: string, cause?: unknown): NuGetError {
  return new NuGetError("invalid", { problems: [problem], cause });
}

function nothing(): void {}
