import { expect, test } from "vitest";
import { ownCommand } from "./command-name.ts";

const CLONE = "/home/me/sealhouse";
const NPX = { npm_command: "exec" };
const IN_CLONE = { folder: CLONE, clone: CLONE };

type Case = {
  readonly folder?: string;
  readonly clone?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly words?: readonly string[];
  readonly development?: boolean;
  readonly readsSettings?: boolean;
};

test.each<[name: string, of: Case, command: string]>([
  ["a clone", IN_CLONE, "./sealhouse"],
  ["an environment", { ...IN_CLONE, env: { Feed__Name: "x" } }, "./sealhouse --settings-of=42"],
  ["settings", { ...IN_CLONE, words: ["--Feed:Name=x"] }, "./sealhouse --settings-of=42"],
  ["Production", { ...IN_CLONE, development: false }, "./sealhouse --settings-of=42"],
  ["another folder", { clone: CLONE }, "/home/me/sealhouse/sealhouse --settings-of=42"],
  ["a blank", { clone: "/it's me" }, "'/it'\\''s me/sealhouse' --settings-of=42"],
  ["npx", { env: NPX }, "npx -y @sealhouse/registry --settings-of=42"],
  ["an installed package", {}, "sealhouse --settings-of=42"],
  [
    "npx without settings of processes",
    { env: NPX, readsSettings: false },
    "ASPNETCORE_ENVIRONMENT=Development npx -y @sealhouse/registry",
  ],
  ["Production without them", { development: false, readsSettings: false }, "sealhouse"],
])("the shown command has the settings of the host: %s", (_name, given, command) => {
  const { folder = "/srv", clone, env = {}, words = [] } = given;
  const { development = true, readsSettings = true } = given;
  const own = { env, argv: ["node", "main.ts", ...words], pid: 42, cwd: () => folder };
  expect(ownCommand(own, { development }, { clone, readsSettings })).toBe(command);
});
