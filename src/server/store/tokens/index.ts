export { tokenId } from './secret';
export { type KnownToken, type TokenInfo, type TokenLimits, Tokens } from './tokens';
