import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildTarEntry } from "@sealhouse/npm-protocol/testing";
import { describe, expect, test } from "vitest";
import { spawnHost } from "../../src/testing/index.ts";
import { openFolder } from "./client.ts";
import { openDockerDaemon } from "./docker-daemon.ts";
import { findTool, runTool } from "./oci-tools.ts";
import { openSlowProxy } from "./slow-proxy.ts";

/** Longer than a token of 60 seconds and its leeway. No clock can be turned here: the clients look
 * at their own. */
const SECONDS = Number(process.env["SEALHOUSE_SLOW_UPLOAD_SECONDS"] ?? "140");
const BYTES_PER_SECOND = 20_000;

const isRoot = process.getuid?.() === 0;
const docker = isRoot ? await findTool("docker") : undefined;
const dockerd = isRoot ? await findTool("dockerd") : undefined;
const podman = await findTool("podman");
const oras = await findTool("oras-1.3");

describe.skipIf(!docker && !podman && !oras)("an upload that outlives its token", () => {
  test(
    "ends well with docker, podman and oras",
    async () => {
      await using opened = new AsyncDisposableStack();
      const env = {
        Feed__Authentication__AllowAnonymousPull: "false",
        Feed__Oci__TokenLifetime: "00:01:00",
      };
      const host = opened.use(await spawnHost({ env }));
      const proxy = opened.use(await openSlowProxy(host.url, BYTES_PER_SECOND));
      const { path: home } = opened.use(await openFolder());
      const content = randomBytes(SECONDS * BYTES_PER_SECOND);
      const entry = buildTarEntry({ path: "big.bin", content });
      await writeFile(join(home, "big.tar"), Buffer.concat([entry, Buffer.alloc(1024)]));
      const policies = join(home, ".config", "containers");
      await mkdir(policies, { recursive: true });
      const policy = { default: [{ type: "insecureAcceptAnything" }] };
      await writeFile(join(policies, "policy.json"), JSON.stringify(policy));
      const token = await host.makeToken({ scopes: "read,write" });
      const registry = new URL(proxy.url).host;
      const daemon = dockerd && opened.use(await openDockerDaemon(dockerd));
      const options = {
        cwd: home,
        timeoutMs: (SECONDS + 200) * 1_000,
        env: {
          HOME: home,
          DOCKER_CONFIG: join(home, ".docker"),
          REGISTRY_AUTH_FILE: join(home, "auth.json"),
          ...(daemon && { DOCKER_HOST: daemon.host }),
        },
      };
      const user = ["-u", "x", "-p", token] as const;
      const storage = [
        `--root=${join(home, "root")}`,
        `--runroot=${join(home, "run")}`,
        "--storage-driver=vfs",
      ];
      const image = (name: string) => `${registry}/slow/${name}:1`;
      const pushes = [
        docker &&
          (async () => {
            await runTool(docker, ["login", ...user, registry], options);
            await runTool(docker, ["import", "big.tar", image("docker")], options);
            return runTool(docker, ["push", image("docker")], options);
          }),
        podman &&
          (async () => {
            await runTool(podman, ["login", "--tls-verify=false", ...user, registry], options);
            await runTool(podman, [...storage, "import", "big.tar", image("podman")], options);
            const push = ["push", "--tls-verify=false", image("podman")];
            return runTool(podman, [...storage, ...push], options);
          }),
        oras &&
          (async () => {
            await runTool(oras, ["login", "--plain-http", ...user, registry], options);
            return runTool(oras, ["push", "--plain-http", image("oras"), "big.tar"], options);
          }),
      ].flatMap((push) => (push ? [push] : []));
      const startedAt = Date.now();
      const ended = await Promise.all(pushes.map((push) => push()));
      expect(Date.now() - startedAt).toBeGreaterThan(SECONDS * 1_000);
      for (const { code, output } of ended) expect([output, code]).toEqual([output, 0]);
    },
    (SECONDS + 300) * 1_000,
  );
});
