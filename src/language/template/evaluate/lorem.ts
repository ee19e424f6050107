import { TemplateError } from '../errors';
import { type Evaluation } from './run';

const words = (
  'a ac accumsan ad adipiscing aenean aliquam aliquet amet ante aptent arcu at auctor augue bibendum blandit class ' +
  'commodo condimentum congue consectetuer consequat conubia convallis cras cubilia cum curabitur curae cursus ' +
  'dapibus diam dictum dictumst dignissim dis dolor donec dui duis egestas eget eleifend elementum elit enim erat ' +
  'eros est et etiam eu euismod facilisi facilisis fames faucibus felis fermentum feugiat fringilla fusce gravida ' +
  'habitant hac hendrerit hymenaeos iaculis id imperdiet in inceptos integer interdum ipsum justo lacinia lacus ' +
  'laoreet lectus leo libero ligula litora lobortis lorem luctus maecenas magna magnis malesuada massa mattis mauris ' +
  'metus mi molestie mollis montes morbi mus nam nascetur natoque nec neque netus nibh nisi nisl non nonummy nostra ' +
  'nulla nullam nunc odio orci ornare parturient pede pellentesque penatibus per pharetra phasellus placerat platea ' +
  'porta porttitor posuere potenti praesent pretium primis proin pulvinar purus quam quis quisque rhoncus ridiculus ' +
  'risus rutrum sagittis sapien scelerisque sed sem semper senectus sit sociis sociosqu sodales sollicitudin ' +
  'suscipit suspendisse taciti tellus tempor tempus tincidunt torquent tortor tristique turpis ullamcorper ultrices ' +
  'ultricies urna ut varius vehicula vel velit venenatis vestibulum vitae vivamus viverra volutpat vulputate'
).split(' ');

interface LoremOptions {
  readonly paragraphs: number;
  readonly html: boolean;
  readonly min: number;
  readonly max: number;
}

/** Placeholder text: `lipsum()`. */
export function loremIpsum(run: Evaluation, { paragraphs, html, min, max }: LoremOptions): string {
  if (min >= max) throw new TemplateError('wrongValue', "lipsum() needs 'min' below 'max'");
  const world = run.world('lipsum()');
  const between = (low: number, high: number): number => low + Math.floor(world.random() * (high - low));
  const paragraph = (): string => {
    const count = between(min, max);
    run.elements(count);
    const sentence = Array.from({ length: count }, () => words[between(0, words.length)]!).join(' ');
    return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
  };
  run.elements(Math.max(0, paragraphs));
  const texts = Array.from({ length: Math.max(0, paragraphs) }, paragraph);
  return html ? texts.map((text) => `<p>${text}</p>`).join('\n') : texts.join('\n\n');
}
