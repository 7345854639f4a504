/** How a parser of arguments is made, as data: the name of what makes it and with what. */
export type ParserRecipe = readonly [name: string, ...parameters: string[]];

type Parser = (text: string) => unknown;

const recipes = new WeakMap<Parser, ParserRecipe>();

/** Notes how the parser is made, so that a catalogue of the command line can make it again. */
export function withRecipe<Made extends Parser>(recipe: ParserRecipe, parser: Made): Made {
  recipes.set(parser, recipe);
  return parser;
}

/** How the parser is made; undefined for one of which nobody noted it. */
export function recipeOf(parser: Parser): ParserRecipe | undefined {
  return recipes.get(parser);
}
