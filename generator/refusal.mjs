/** Why nothing was generated, in one line that says what would be right. */
export class Refusal extends Error {
  name = 'Refusal';
}
