import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { restrictToOwner } from "./restrict-to-owner.ts";

const noHome = vi.hoisted(() => vi.fn<() => string>());
vi.mock("node:os", async (load) => ({ ...(await load<object>()), homedir: noHome }));

test("restricts the folders of a user who has no home", async () => {
  noHome.mockImplementation(() => {
    throw new Error("uv_os_homedir returned ENOENT");
  });
  const folder = await mkdtemp(join(tmpdir(), "sealhouse-no-home-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "readable");
  await writeFile(file, "", { mode: 0o644 });
  const log = { info: vi.fn<() => void>(), warn: vi.fn<() => void>() };
  const { ended } = await restrictToOwner({ folders: [folder], files: [], log });
  await ended;
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(log.info).toHaveBeenCalledWith({ corrected: 1 }, expect.any(String));
});
