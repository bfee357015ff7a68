import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { npmArtifact, nugetArtifact, ociArtifact } from "../artifacts.ts";
import { run } from "../clients/client.ts";
import { freePort } from "../free-port.ts";
import { readManual, textsOf } from "../manual-page.ts";
import { imageToRun, openContainer, podman } from "./container.ts";
import type { Container } from "./container.ts";

const PAGE = await readManual("../../../docs/containers.md");
const IMAGE = imageToRun("docs/containers.md is not run");
const ROOT = new URL("../../../../", import.meta.url);
const SLOW = { timeout: 240_000 };

const read = (path: string) => readFile(new URL(path, ROOT), "utf8");

/** Imports each production dependency of each package of the image, from that package. */
const IMPORT_ALL = `
import fs from "node:fs";
const failed = [];
let count = 0;
for (const folder of [...fs.globSync("/app/packages/*"), "/app/hosts/registry"]) {
  const { dependencies = {} } = JSON.parse(fs.readFileSync(folder + "/package.json", "utf8"));
  const names = Object.keys(dependencies).filter((name) => !name.startsWith("@types/"));
  // A polyfill that @peculiar/x509 needs.
  for (const name of names.toSorted((one) => (one === "reflect-metadata" ? -1 : 0))) {
    count += 1;
    try {
      await import(import.meta.resolve(name, "file://" + folder + "/package.json"));
    } catch (error) {
      failed.push(folder + ": " + name + ": " + error);
    }
  }
}
console.log(JSON.stringify({ count, failed }));
process.exit();
`;

test("the page about containers states the defaults of the image", async () => {
  const page = await read("docs/containers.md");
  const file = await read("hosts/registry/Containerfile");
  for (const setting of [
    "ASPNETCORE_URLS=http://+:8080",
    "ASPNETCORE_ENVIRONMENT=Production",
    "Host__DataPath=/data",
    "Host__DataProtection__KeyPath=/data/dataprotection-keys",
  ]) {
    expect(page).toContain(setting);
    expect(file).toContain(setting);
  }
  for (const [, argument = ""] of file.matchAll(/^ARG (\w+)/gm)) expect(page).toContain(argument);
});

test("every block of commands is run by a test or by the script that builds the image", () => {
  const image = ["build", "run", "commands"];
  const compose = ["settings", "shell", "single", "passwords", "cluster", "own", "update"];
  const systemd = ["install", "start", "token"];
  const known = [...image, ...compose, ...systemd].map((name) => `sh ${name}`);
  expect(PAGE.map(({ language }) => language)).toEqual(known);
});

if (IMAGE !== undefined) describeImage(IMAGE);

function describeImage(image: string): void {
  /** The command of the page, with a free port, new names and anonymous reading. */
  async function runAsDocumented(volume: string): Promise<Container> {
    const port = await freePort();
    const name = `sealhouse-${randomBytes(4).toString("hex")}`;
    const pepper = "0123456789abcdef0123456789abcdef";
    const script = textsOf(PAGE, "sh run")
      .join("")
      .replace("--name sealhouse", `--name ${name}`)
      .replace("--publish 8080:8080", `--publish 127.0.0.1:${port}:8080`)
      .replace("sealhouse-data:", `${volume}:`)
      .replace("<32 bytes or more>", pepper)
      .replace(
        / {2}sealhouse\n$/,
        `--env Feed__Authentication__AllowAnonymousPull=true ${image}\n`,
      );
    for (const part of [name, `:${port}:`, volume, pepper, image]) expect(script).toContain(part);
    const { code, output } = await run("sh", ["-ec", script]);
    expect(code, output).toBe(0);
    return openContainer(name, `http://127.0.0.1:${port}`);
  }

  test("the documented command keeps artifacts of all protocols in its volume", SLOW, async () => {
    const volume = `sealhouse-test-${randomBytes(4).toString("hex")}`;
    onTestFinished(async () => void (await podman("volume", "rm", "--force", volume)));
    const bytes = randomBytes(100_000);
    const artifacts = [
      nugetArtifact("Acme.Container", bytes),
      npmArtifact("container", bytes),
      ociArtifact("team/container", bytes),
    ];
    const commands = textsOf(PAGE, "sh commands")
      .flatMap((text) => text.trim().split("\n"))
      .map((line) => line.replace(/^podman exec sealhouse /, "").split(" "));
    expect(commands.map(([program]) => program)).toEqual(["sealhouse", "sealhouse"]);
    {
      await using first = await runAsDocumented(volume);
      const [create = [], health = []] = commands;
      expect(await first.exec(...health)).toMatchObject({ code: 0, stdout: "healthy\n" });
      const token = await first.exec(...create);
      expect(token.code, token.output).toBe(0);
      for (const artifact of artifacts) {
        expect(await artifact.push(first, token.stdout.trim()), artifact.name).toBe(true);
      }
      const write =
        "try{fs.writeFileSync('/app/x','')}catch(e){console.log(process.getuid(),e.code)}";
      expect((await first.exec("node", "-e", write)).stdout).toMatch(/^65532 (?:EROFS|EACCES)\n$/);
      expect(await first.stop(), await first.logs()).toBe(0);
      expect(await first.logs()).toContain('"msg":"stopped"');
    }
    await using second = await runAsDocumented(volume);
    for (const artifact of artifacts) {
      expect(await artifact.check(second), artifact.name).toBe("whole");
    }
  });

  describe("a container of the image", () => {
    const containers: Container[] = [];
    beforeAll(async () => {
      const volume = `sealhouse-test-${randomBytes(4).toString("hex")}`;
      containers.push(await runAsDocumented(volume));
      return async () => {
        for (const container of containers) await container[Symbol.asyncDispose]();
        await podman("volume", "rm", "--force", volume);
      };
    }, 240_000);

    test.each([
      ["Storage__Type=AwsS3", "Storage__Bucket"],
      ["Storage__Type=AzureBlobStorage", "Storage__AccountName"],
      ["Storage__Type=Gcs", "Storage__Bucket"],
      ["Signing__Mode=AwsKms", "Signing__AwsKms__KeyId"],
      ["Signing__Mode=AzureKeyVault", "Signing__AzureKeyVault__VaultUri"],
      ["Signing__Mode=GcpKms", "Signing__GcpKms__KeyRing"],
    ])("%s requires %s", SLOW, async (setting, required) => {
      const [container] = containers;
      const checked = await container?.exec("env", setting, "sealhouse", "config", "check");
      expect(checked?.output).toContain(`  ${required}: is required`);
      expect(checked?.code).toBe(78);
    });

    test("loads every dependency of every package", SLOW, async () => {
      const options = ["--experimental-import-meta-resolve", "--input-type=module"];
      const loaded = await containers[0]?.exec("node", ...options, "--eval", IMPORT_ALL);
      const { count, failed } = JSON.parse(loaded?.stdout ?? "") as {
        count: number;
        failed: string[];
      };
      expect(failed).toEqual([]);
      expect(count).toBeGreaterThan(100);
    });
  });
}
