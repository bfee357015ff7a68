import type { Choice } from "./form-fields.ts";

/** The protocols, as forms offer them. */
export const PROTOCOL_CHOICES: readonly Choice[] = [
  { value: "nuget", text: "NuGet" },
  { value: "npm", text: "npm" },
  { value: "oci", text: "Images" },
];
