import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";

/** An answer that replaces the usual one of a path. */
export type CannedAnswer = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

/** An HTTP server of a stand-in on this machine. */
export type ProviderServer = AsyncDisposable & {
  /** `http://127.0.0.1:1234` */
  readonly origin: string;
  /** Methods and paths of received requests: `GET /user`. */
  readonly requests: readonly string[];
  /** Replaces the answers of a path; undefined ends that. */
  answer(path: string, canned: CannedAnswer | undefined): void;
};

export type ProviderHandler = (
  request: IncomingMessage,
  response: ServerResponse,
) => void | Promise<void>;

/** `port` 0 is any free port. */
export async function openProviderServer(
  handle: ProviderHandler,
  port = 0,
): Promise<ProviderServer> {
  const requests: string[] = [];
  const canned = new Map<string, CannedAnswer>();
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://127.0.0.1");
    requests.push(`${request.method} ${pathname}`);
    const replaced = canned.get(pathname);
    if (replaced) {
      response.writeHead(replaced.status, {
        "content-type": "application/json",
        ...replaced.headers,
      });
      response.end(replaced.body ?? "{}");
      return;
    }
    await handle(request, response);
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("the stand-in has no port");
  return {
    origin: `http://127.0.0.1:${address.port}`,
    requests,
    answer(path, answer) {
      if (answer) canned.set(path, answer);
      else canned.delete(path);
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

export async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks).toString();
}

export function sendJson(
  response: ServerResponse,
  status: number,
  document: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(document));
}

/** A sign-in page with the field `login`; `hidden` fields are sent with it. */
export function sendSignInPage(
  response: ServerResponse,
  { method, hidden = {} }: { method: "get" | "post"; hidden?: Readonly<Record<string, string>> },
): void {
  const fields = Object.entries(hidden).map(
    ([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`,
  );
  response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
  response.end(
    `<!doctype html><html lang="en"><title>Sign in to the provider</title>` +
      `<form method="${method}">${fields.join("")}` +
      `<label>Account <input name="login" autofocus></label>` +
      `<button name="decision" value="allow">Sign in</button>` +
      `<button name="decision" value="cancel">Cancel</button></form></html>`,
  );
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
