import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { npmArtifact, nugetArtifact } from "../artifacts.ts";
import { freePort } from "../free-port.ts";
import { readManual, textsOf } from "../manual-page.ts";
import { answers, imageToRun, podman } from "./container.ts";

// Runs deploy/systemd/sealhouse.service under a real systemd, in a container.

const PAGE = await readManual("../../../docs/containers.md");
const ROOT = new URL("../../../../", import.meta.url);
const DEPLOY = fileURLToPath(new URL("deploy", ROOT));
const IMAGE =
  imageToRun("the unit for systemd is not run") === undefined
    ? undefined
    : process.env["SYSTEMD_IMAGE"];
const SLOW = { timeout: 240_000 };
const SOON = { timeout: 60_000, interval: 250 };

async function openMachine(image: string) {
  const port = await freePort();
  const options = ["--detach", "--privileged", "--systemd=always"];
  const publish = ["--publish", `127.0.0.1:${port}:8080`];
  const started = await podman("run", ...options, ...publish, image);
  expect(started.code, started.output).toBe(0);
  const id = started.stdout.trim();
  onTestFinished(async () => void (await podman("rm", "--force", id)));
  const shell = async (script: string) => {
    const ran = await podman("exec", id, "sh", "-ec", script);
    if (ran.code !== 0) throw new Error(`${script}\nended with ${ran.code}:\n${ran.output}`);
    return ran.stdout;
  };
  const isUp = () => shell("systemctl is-system-running --wait").then(String, () => "");
  await expect.poll(isUp, SOON).toContain("running");
  const copied = await podman("cp", DEPLOY, `${id}:/deploy`);
  expect(copied.code, copied.output).toBe(0);
  const property = async (name: string) =>
    (await shell(`systemctl show --property ${name} --value sealhouse`)).trim();
  return { url: `http://127.0.0.1:${port}`, shell, property };
}

test("each documented time to stop exceeds the default of Host__ShutdownTimeout", async () => {
  const read = (path: string) => readFile(new URL(path, ROOT), "utf8");
  const [, shutdown] =
    /`Host__ShutdownTimeout`[^|]*\|[^|]*\| `00:00:(\d+)`/.exec(
      await read("docs/configuration.md"),
    ) ?? [];
  const times = [
    /^TimeoutStopSec=(\d+)s$/m.exec(await read("deploy/systemd/sealhouse.service")),
    /stop_grace_period: (\d+)s$/m.exec(await read("deploy/compose.yaml")),
    /--stop-timeout (\d+)/.exec(await read("docs/containers.md")),
  ];
  for (const time of times) expect(Number(time?.[1])).toBeGreaterThan(Number(shutdown));
});

if (IMAGE !== undefined) describeUnit(IMAGE);

function describeUnit(image: string): void {
  test(
    "the unit for systemd runs the host as documented, with its restrictions",
    SLOW,
    async () => {
      const { url, shell, property } = await openMachine(image);
      const install = textsOf(PAGE, "sh install").join("");
      // The image has the files of the package already.
      const npm = "npm install --prefix /opt/sealhouse @sealhouse/registry\n";
      expect(install).toContain(npm);
      await shell(`cd /\n${install.replace(npm, "")}`);
      const settings = {
        Host__TokenHashPepper: randomBytes(24).toString("hex"),
        // The port that the container publishes is not on its loopback.
        ASPNETCORE_URLS: "http://+:8080",
        Feed__Authentication__AllowAnonymousPull: "true",
      };
      const lines = Object.entries(settings).map(([key, value]) => `${key}=${value}\n`);
      await shell(`cat >>/etc/sealhouse/sealhouse.env <<'END'\n${lines.join("")}END`);
      await shell(textsOf(PAGE, "sh start").join(""));
      expect(await answers(`${url}/health/ready`), await shell("journalctl --unit sealhouse")).toBe(
        true,
      );
      const token = (await shell(textsOf(PAGE, "sh token").join(""))).trim();
      const host = {
        url,
        fetch: (path: string, init?: RequestInit) => fetch(`${url}${path}`, init),
      };
      const artifacts = [
        nugetArtifact("Acme.Systemd", randomBytes(100_000)),
        npmArtifact("systemd", randomBytes(100_000)),
      ];
      for (const artifact of artifacts) expect(await artifact.push(host, token)).toBe(true);

      const status = await shell(`cat /proc/${await property("MainPID")}/status`);
      expect(status).toMatch(/^CapEff:\s0+$/m);
      expect(status).toMatch(/^NoNewPrivs:\s1$/m);
      expect(status).toMatch(/^Seccomp:\s2$/m);
      expect(status).not.toMatch(/^Uid:\s0\s/m);
      const verified = await shell("systemd-analyze verify sealhouse.service 2>&1");
      expect(verified).toBe("");
      await shell("systemd-analyze security --threshold=20 sealhouse.service >/dev/null");

      await shell(`kill -KILL ${await property("MainPID")}`);
      await expect.poll(() => property("NRestarts"), SOON).toBe("1");
      expect(await answers(`${url}/health/ready`)).toBe(true);
      await shell("systemctl stop sealhouse");
      expect([await property("Result"), await property("ExecMainStatus")]).toEqual([
        "success",
        "0",
      ]);
      await shell("systemctl start sealhouse");
      expect(await answers(`${url}/health/ready`)).toBe(true);
      for (const artifact of artifacts) {
        expect([artifact.name, await artifact.check(host)]).toEqual([artifact.name, "whole"]);
      }
    },
  );

  test("systemd does not restart a host with invalid settings", SLOW, async () => {
    const { shell, property } = await openMachine(image);
    const npm = /^npm install .*\n/m;
    await shell(`cd /\n${textsOf(PAGE, "sh install").join("").replace(npm, "")}`);
    await shell(textsOf(PAGE, "sh start").join("")).catch(() => undefined);
    await expect.poll(() => property("ActiveState"), SOON).toBe("failed");
    expect([await property("ExecMainStatus"), await property("NRestarts")]).toEqual(["78", "0"]);
    expect(await shell("journalctl --unit sealhouse")).toContain("Host__TokenHashPepper");
  });
}
