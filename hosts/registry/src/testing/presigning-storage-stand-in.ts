import { createHmac } from "node:crypto";
import { openFilesystemStore } from "@sealhouse/storage-providers/filesystem";
import type { Extension } from "../extension.ts";

// A stand-in for a bucket with presigned addresses, in the process of the host: files in a folder
// of the test, and addresses at a server of the test, signed much as S3 signs them.

export const PRESIGNING_SECRET = "stand-in";

export const extension = {
  name: "presigning-storage-stand-in",
  storageTypes: {
    Presigning: {
      settings: {
        Storage__Presigning__Folder: {
          kind: { type: "path" },
          required: true,
          about: "Where the objects are.",
        },
        Storage__Presigning__Url: {
          kind: { type: "url" },
          required: true,
          about: "Where clients find them.",
        },
      },
      async open({ values }) {
        const root = values["Storage__Presigning__Folder"] ?? "";
        const store = await openFilesystemStore({ root });
        return Object.assign(store, {
          async presign(key: string, { expiresInMs }: { readonly expiresInMs: number }) {
            const expires = String(Date.now() + expiresInMs);
            const signature = presignature(key, expires);
            const query = new URLSearchParams({ expires, signature });
            return `${values["Storage__Presigning__Url"]}/${key}?${query.toString()}`;
          },
        });
      },
    },
  },
} satisfies Extension;

/** The query that the address of an object must have. */
export function presignature(key: string, expires: string): string {
  return createHmac("sha256", PRESIGNING_SECRET).update(`${key}\n${expires}`).digest("hex");
}
