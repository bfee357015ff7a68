import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { StampMisbehaviour } from "@sealhouse/repo-signing/testing";
import { createTestStampServer } from "@sealhouse/repo-signing/testing";

export type StampServer = AsyncDisposable & {
  readonly url: string;
  /** Number of requests so far. */
  readonly requestCount: () => number;
  /** From now on; undefined = as it should. A silent one says nothing until it behaves again. */
  behave(misbehaviour: StampMisbehaviour | undefined): void;
  /** Resolves when it is asked the next time. */
  nextRequest(): Promise<void>;
};

/** A stand-in for a timestamping authority, over real HTTP; its root is the test root. */
export async function openStampServer(misbehaves?: StampMisbehaviour): Promise<StampServer> {
  let current = misbehaves;
  let count = 0;
  let next = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    void buffer(request).then(async (body) => {
      count += 1;
      next.resolve();
      next = Promise.withResolvers();
      if (current === "silent") return;
      const stamp = await createTestStampServer(
        current === undefined ? {} : { misbehaves: current },
      );
      const answer = await stamp("http://stamp.test/", { method: "POST", body });
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.end(Buffer.from(await answer.arrayBuffer()));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requestCount: () => count,
    behave(misbehaviour) {
      current = misbehaviour;
    },
    nextRequest: () => next.promise,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
