export { tokenId } from './secret';
export { type KnownToken, type NewToken, type TokenInfo, Tokens, type TokenState } from './tokens';
