import type { Hono } from "hono";
import type { NuGetAppOptions } from "../app.ts";
import { createNuGetApp } from "../app.ts";
import type { NuGetPorts } from "../ports.ts";
import { buildNupkg } from "./build-nupkg.ts";
import type { MemoryNuGetPorts } from "./memory-ports.ts";
import { createMemoryNuGetPorts } from "./memory-ports.ts";

export type TestFeed = MemoryNuGetPorts & {
  readonly app: Hono;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  json(path: string): Promise<unknown>;
  /** A raw body, as `curl --data-binary` sends it. */
  push(bytes: Uint8Array, headers?: Record<string, string>): Promise<Response>;
  /** Pushes a small package per version and expects each to be taken. */
  fill(id: string, ...versions: readonly string[]): Promise<void>;
};

/** A feed over memory ports, with the few requests that most tests make. */
export function createTestFeed(
  overrides: Partial<NuGetPorts> = {},
  options: NuGetAppOptions = {},
): TestFeed {
  const memory = createMemoryNuGetPorts(overrides);
  const app = createNuGetApp(memory.ports, options);
  const get = async (path: string, headers: Record<string, string> = {}) =>
    app.request(path, { headers });
  const push = async (bytes: Uint8Array, headers: Record<string, string> = {}) =>
    app.request("/api/v2/package", { method: "PUT", body: Buffer.from(bytes), headers });
  return {
    ...memory,
    app,
    get,
    push,
    json: async (path) => (await get(path)).json(),
    async fill(id, ...versions) {
      for (const version of versions) {
        const { status } = await push(buildNupkg({ id, version }));
        if (status !== 201) throw new Error(`pushing ${id} ${version} was answered ${status}`);
      }
    },
  };
}
