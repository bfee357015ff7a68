import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startHost } from "../../src/testing/index.ts";
import { hasClient, openFolder, run } from "../clients/client.ts";
import type { Ran } from "../clients/client.ts";
import { BASIC_USER, startDockerRegistry } from "../clients/docker-registry.ts";
import { writeImageLayout } from "../clients/image-layout.ts";
import { startMirrorHost } from "./mirror-host.ts";
import type { ImageSource, MirrorHost } from "./mirror-host.ts";

const isHere = hasClient("skopeo") && hasClient("docker-registry");

/** skopeo pulls through the host from real registries, which are stopped then. */
describe.skipIf(!isHere)("skopeo through the mirror", () => {
  const cleanUp = new AsyncDisposableStack();
  const upstreams = new AsyncDisposableStack();
  let host: MirrorHost;
  let folder: string;

  beforeAll(async () => {
    folder = cleanUp.use(await openFolder()).path;
    await writeImageLayout(join(folder, "layout"), "1.0");
    const plain = upstreams.use(await startDockerRegistry());
    const basic = upstreams.use(await startDockerRegistry({ wantsBasic: true }));
    const token = upstreams.use(
      await startHost({
        env: {
          Signing__Mode: "",
          Feed__Oci__Default__Enabled: "true",
          Feed__Authentication__AllowAnonymousPull: "false",
        },
      }),
    );
    const { username, password } = BASIC_USER;
    const writer = { username: "x", password: await token.makeToken({ scopes: "read,write" }) };
    const sources = [
      { name: "plain", url: plain.url },
      { name: "basic", url: basic.url, credentials: { username, password } },
      { name: "token", url: token.url, credentials: writer },
    ];
    for (const { name, url, credentials } of sources) {
      const pushed = await skopeo(
        "--dest-tls-verify=false",
        ...(credentials ? [`--dest-creds=${credentials.username}:${credentials.password}`] : []),
        `oci:${join(folder, "layout")}:1.0`,
        `docker://${new URL(url).host}/team/${name}:1.0`,
      );
      expect(pushed.code, pushed.output).toBe(0);
    }
    const wanted = sources.map(({ name, url, credentials }): ImageSource => {
      const basicCredentials = credentials && ({ type: "basic", ...credentials } as const);
      return { name, url, credentials: basicCredentials, settings: { allow: [`team/${name}`] } };
    });
    host = cleanUp.use(await startMirrorHost(wanted));
  });
  afterAll(() => cleanUp.disposeAsync());

  function skopeo(...words: readonly string[]): Promise<Ran> {
    const args = ["--insecure-policy", "copy", "--all", ...words];
    return run("skopeo", args, { env: { HOME: folder } });
  }
  const pull = (name: string, target: string) =>
    skopeo(
      "--src-tls-verify=false",
      `docker://${new URL(host.url).host}/team/${name}:1.0`,
      `oci:${join(folder, target)}:1.0`,
    );

  test.each(["plain", "basic", "token"])("pulls from a %s registry", async (name) => {
    const pulled = await pull(name, name);
    expect(pulled.code, pulled.output).toBe(0);
  });

  test("pulls again when all registries are stopped", async () => {
    await upstreams.disposeAsync();
    for (const name of ["plain", "basic", "token"]) {
      const pulled = await pull(name, `${name}-again`);
      expect(pulled.code, pulled.output).toBe(0);
    }
  });
  test("shows the reason of a refusal", async () => {
    const rule = ["--protocol", "oci", "--name", "team/plain", "--reason", "It mines coins."];
    const denied = await host.cli("policy", "deny", ...rule);
    expect(denied.code, denied.stderr).toBe(0);
    const shown = async () => (await pull("plain", "denied")).output;
    await expect
      .poll(shown, { timeout: 10_000 })
      .toContain("1.0 is denied on this registry: It mines");
  });
});
