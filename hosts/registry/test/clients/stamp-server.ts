import { once } from "node:events";
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { createTestStampServer } from "@sealhouse/repo-signing/testing";

/** A timestamping authority behind real HTTP, whose certificate the test root has issued. */
export async function openStampServer(): Promise<AsyncDisposable & { readonly url: string }> {
  const stamp = await createTestStampServer();
  const server = createServer((request, response) => {
    void buffer(request).then(async (body) => {
      const answer = await stamp("http://stamp.test/", { method: "POST", body });
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.end(Buffer.from(await answer.arrayBuffer()));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}/`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}
