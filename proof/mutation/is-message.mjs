const WORDS = /\p{L}[,;:.)]? \(?\p{L}/u;

/**
 * Whether a node of the source is the text of a message: it has two words. People may be told in any words, and a test that repeats them
 * proves nothing. Codes, names of fields and everything that is signed have no space.
 */
export function isMessage(node) {
  if (node.type === 'StringLiteral') return WORDS.test(node.value);
  // What is put in stands for a word.
  return node.type === 'TemplateLiteral' && WORDS.test(node.quasis.map(({ value }) => value.raw).join('X'));
}
