import type { PackageVerdict } from "@sealhouse/request-types";
import type { Hono } from "hono";
import { createNpmApp } from "../app.ts";
import { createMemoryNpmPorts } from "./memory-ports.ts";
import type { PublishWish } from "./publish-body.ts";
import { publishBody } from "./publish-body.ts";

/** Headers of npm's bodies. */
export const json = { "content-type": "application/json" };

export function registry(
  ports: Parameters<typeof createMemoryNpmPorts>[0] = {},
  options: Partial<Parameters<typeof createNpmApp>[1]> = {},
) {
  const memory = createMemoryNpmPorts(ports);
  const app = createNpmApp(memory, { anonymousRead: true, basePath: "/npm", ...options });
  return { app, ports: memory };
}

export async function withDemo(...options: Parameters<typeof registry>) {
  const made = registry(...options);
  const response = await put(made.app, { name: "@acme/demo" });
  if (response.status !== 200) throw new Error(await response.text());
  return made;
}

export async function put(app: Hono, wish: PublishWish): Promise<Response> {
  const address = `/npm/${(wish.name ?? "demo").replace("/", "%2f")}`;
  return app.request(address, { method: "PUT", headers: json, body: publishBody(wish) });
}

export function granted(actor: string, tokenId?: string): PackageVerdict {
  return {
    status: "granted",
    caller: { actor, ...(tokenId !== undefined && { tokenId, needs: undefined }) },
  };
}

export function unreadable(): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      pull() {
        throw new Error("the body was read");
      },
    },
    { highWaterMark: 0 },
  );
}
