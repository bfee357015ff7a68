/** @throws Error with the start of the answer when it has any other status */
export async function expectStatus(
  answer: Response,
  ...statuses: readonly number[]
): Promise<void> {
  const text = await answer.text();
  if (!statuses.includes(answer.status)) {
    throw new Error(`${answer.url} answered ${answer.status}: ${text.slice(0, 300)}`);
  }
}
