import { z } from "zod";
import { defineAction } from "../action.ts";
import { RefusedActionError } from "../refusal.ts";

const COMMON = {
  scope: "settings:read",
  method: "GET",
  form: { none: "It only reads." },
  input: z.strictObject({}),
} as const;

const SETTINGS = z.strictObject({
  items: z.array(
    z
      .strictObject({
        key: z.string(),
        value: z.string().optional().describe("Absent: not set. Secrets are masked."),
        source: z.string().describe("default, or where it is written."),
        default: z.string().optional().describe("The default that it replaces."),
      })
      .meta({ id: "Setting", title: "A setting in force" }),
  ),
  warnings: z.array(z.string()).describe("Unknown keys, and settings that Production requires."),
});

/** The settings in force. */
export type ListedSettings = z.output<typeof SETTINGS>;

const showSettings = defineAction({
  ...COMMON,
  id: "config.show",
  summary: "print effective settings and their sources; secrets are masked",
  path: "/settings",
  command: "config show",
  output: SETTINGS,
  refusals: ["unsupported"],
  async run({ parts }) {
    const settings = await parts.settings();
    if (!settings)
      throw new RefusedActionError("unsupported", "This program has its own settings.");
    return { items: [...settings.items], warnings: [...settings.warnings] };
  },
});

const HEALTH = z.strictObject({
  isReady: z.boolean(),
  detail: z.string().describe("The address that was asked, and its answer."),
});

/** Whether the host answers requests. */
export type ShownHealth = z.output<typeof HEALTH>;

const health = defineAction({
  ...COMMON,
  id: "config.health",
  summary: "check whether the host on this machine is ready",
  path: "/health",
  command: "health",
  output: HEALTH,
  refusals: ["unavailable"],
  run: async ({ parts, signal }) => parts.readiness(signal),
});

/** The settings and the state of the registry. */
export const SETTINGS_ACTIONS = [showSettings, health];
