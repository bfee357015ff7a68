import { test } from "vitest";
import { createMemoryPeople } from "./memory-people.ts";
import { peopleContract } from "./people-contract.ts";

test.each(peopleContract)("$name", ({ run }) => run(createMemoryPeople()));
