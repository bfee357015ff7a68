import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { run } from "./client.ts";

/** A release of Debian; `own` is what this machine runs. */
export type Suite = "own" | "trixie" | "sid";

/** Packages of a suite, without touching what is installed here. */
export type AptSources = {
  /** The packages to unpack for these programs: the programs and their missing dependencies. */
  missing(packages: readonly string[]): Promise<readonly string[]>;
  /** Puts the `.deb` files into `folder`. */
  download(packages: readonly string[], folder: string): Promise<void>;
};

/** Lists older than this may name files that are gone. */
const LISTS_LAST_MS = 60 * 60_000;

/**
 * A separate state of a package manager below `folder`. It uses the sources of the machine, with
 * the name of the suite replaced.
 */
export async function openAptSources(folder: string, suite: Suite): Promise<AptSources> {
  await mkdir(join(folder, "lists/partial"), { recursive: true });
  await mkdir(join(folder, "archives/partial"), { recursive: true });
  const list = join(folder, "sources.list");
  await writeFile(list, `${(await sourceLines(suite)).join("\n")}\n`);
  const options = [
    `Dir::Etc::sourcelist=${list}`,
    "Dir::Etc::sourceparts=/dev/null",
    `Dir::State::lists=${join(folder, "lists")}`,
    `Dir::Cache=${folder}`,
    "Acquire::Languages=none",
    "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false",
    "Acquire::http::Timeout=20",
    "Acquire::Retries=1",
    // As another user, downloads could not be written into a private folder.
    "APT::Sandbox::User=root",
  ].flatMap((option) => ["-o", option]);
  const apt = async (args: readonly string[], cwd = folder): Promise<string> => {
    const { code, stdout, output } = await run("apt-get", [...options, ...args], { cwd });
    if (code !== 0) throw new Error(`apt-get ${args[0]} failed: ${output.trim().slice(-500)}`);
    return stdout;
  };
  const updated = join(folder, "updated");
  const last = await stat(updated).catch(() => undefined);
  if (!last || Date.now() - last.mtimeMs > LISTS_LAST_MS) {
    await apt(["update", "-q", "--error-on=any"]);
    await writeFile(updated, "");
  }
  return {
    async missing(packages) {
      const plan = await apt(["install", "-s", "--no-install-recommends", ...packages]);
      // A version in brackets is installed already and good enough.
      return [...plan.matchAll(/^Inst (\S+) \((?=\d)/gm)].map(([, name = ""]) => name);
    },
    async download(packages, into) {
      await apt(["download", "-q", ...packages], into);
    },
  };
}

async function sourceLines(suite: Suite): Promise<readonly string[]> {
  const release = /^VERSION_CODENAME=(\S+)/m.exec(await readFile("/etc/os-release", "utf8"))?.[1];
  const format = "$(REPO_URI) $(RELEASE) $(COMPONENT)";
  const args = ["indextargets", "--format", format, "Created-By: Packages"];
  const { stdout } = await run("apt-get", args);
  const entries = stdout.split("\n").map((line) => line.split(" "));
  const own = entries.filter(([, of = ""]) => of === release || of.startsWith(`${release}-`));
  if (suite === "own") return own.map((entry) => `deb ${entry.join(" ")}`);
  const main = own.find(([, of, component]) => of === release && component === "main");
  if (!main) throw new Error("apt knows no main archive of this machine's release");
  return [`deb ${main[0]} ${suite} main`];
}
