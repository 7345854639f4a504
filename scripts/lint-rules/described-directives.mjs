const DIRECTIVE = /^\s*(?:eslint-disable|eslint-enable|eslint )/;

/** A comment that switches lint rules must say why, after ` -- `. */
export const describedDirectives = {
  meta: {
    type: 'suggestion',
    docs: { description: 'A comment that switches lint rules says why.' },
    schema: [],
    messages: { undescribed: 'Say why, after the rule names: `-- reason`.' },
  },
  create(context) {
    return {
      Program() {
        for (const comment of context.sourceCode.getAllComments()) {
          if (DIRECTIVE.test(comment.value) && !/\s-{2,}\s+\S/.test(comment.value)) {
            context.report({ loc: comment.loc, messageId: 'undescribed' });
          }
        }
      },
    };
  },
};
