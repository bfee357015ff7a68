import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openFolder } from "./client.ts";
import type { Ran } from "./client.ts";
import type { Tool } from "./oci-tools.ts";
import { runTool } from "./oci-tools.ts";

/** Where container clients work: signed in at one registry, as `docker login` would leave it. */
export type ClientHome = AsyncDisposable & {
  readonly path: string;
  /** Runs a client to its end, and fails with what it wrote when it fails. */
  readonly run: (tool: Tool | undefined, ...args: readonly string[]) => Promise<Ran>;
  /** The same, whatever the end. */
  readonly attempt: (tool: Tool | undefined, ...args: readonly string[]) => Promise<Ran>;
  /** Options for podman and buildah: their images are in this folder. */
  readonly storage: readonly string[];
};

export async function openClientHome(
  registry: string,
  password: string,
  more: Readonly<Record<string, string>> = {},
): Promise<ClientHome> {
  const opened = await openFolder();
  const { path } = opened;
  const auths = { [registry]: { auth: btoa(`tester:${password}`) } };
  const policy = { default: [{ type: "insecureAcceptAnything" }] };
  await mkdir(join(path, ".docker"));
  await mkdir(join(path, ".config", "containers"), { recursive: true });
  await writeFile(join(path, ".docker", "config.json"), JSON.stringify({ auths }));
  await writeFile(join(path, ".config", "containers", "policy.json"), JSON.stringify(policy));
  const env = {
    HOME: path,
    XDG_CONFIG_HOME: join(path, ".config"),
    XDG_RUNTIME_DIR: path,
    DOCKER_CONFIG: join(path, ".docker"),
    REGISTRY_AUTH_FILE: join(path, ".docker", "config.json"),
    COSIGN_PASSWORD: "",
    ...more,
  };
  const attempt: ClientHome["attempt"] = async (tool, ...args) => {
    if (!tool) throw new Error("the client is missing");
    return runTool(tool, args, { env, cwd: path });
  };
  return {
    path,
    attempt,
    async run(tool, ...args) {
      const ran = await attempt(tool, ...args);
      if (ran.code === 0) return ran;
      throw new Error(`${tool?.command} ${args.join(" ")} ended with ${ran.code}:\n${ran.output}`);
    },
    storage: [
      `--root=${join(path, "root")}`,
      `--runroot=${join(path, "run")}`,
      "--storage-driver=vfs",
    ],
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}
