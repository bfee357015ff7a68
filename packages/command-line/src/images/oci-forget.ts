import { isRepositoryName } from "@sealhouse/oci-distribution";
import { CommandError } from "../command.ts";
import type { Command } from "../command.ts";
import { operator } from "../operator.ts";
import { openRows } from "../open-feed.ts";

/** Removes the rows of a repository without manifests. */
export async function forgetRepository(command: Command, name: string): Promise<number> {
  if (!isRepositoryName(name)) {
    throw new CommandError(`${JSON.stringify(name)} is not the name of a repository.`);
  }
  await using database = await openRows(command);
  switch (await database.oci.forget(name, operator())) {
    case "absent":
      throw new CommandError(`Nothing is known of ${name}.`);
    case "content":
      throw new CommandError(
        `${name} has manifests. Delete them, those without a tag too. If views as of a time keep ` +
          "deleted images, run `sealhouse oci gc --apply` later. Then repeat this command.",
      );
    case "forgotten":
      command.stderr(`${name} is forgotten: its sources and all publishers can use the name.`);
      return 0;
  }
}
