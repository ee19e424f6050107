import { ToolError } from '../../framework/tool/outcome';
import { splitLibs, VirtualEnvironments } from './requirements';

test('requirements are told from aliases', () => {
  expect(splitLibs({ requirements: ['b==1', 'a', 'b==1'], j: 'json' })).toEqual({
    requirements: ['a', 'b==1'],
    libs: { j: 'json' },
  });
  expect(splitLibs({ requirements: '# all\nb>=1  # why\n\na==2\n' })).toEqual({
    requirements: ['a==2', 'b>=1'],
    libs: undefined,
  });
  expect(splitLibs({ requirements: 'yaml' })).toEqual({ requirements: [], libs: { requirements: 'yaml' } });
  expect(splitLibs(['json'])).toEqual({ requirements: [], libs: ['json'] });
  for (const wrong of ['--index-url=http://evil.test', 5]) {
    expect(() => splitLibs({ requirements: [wrong] })).toThrow(ToolError);
  }
});

test.each([
  './here',
  'x @ file:///etc',
  'git+https://example.com/x',
  'x @ https://example.com/x.tar.gz',
  '/etc',
])('a sandboxed task installs nothing that would have to be built: %s', async (requirement) => {
  await expect(new VirtualEnvironments().folderOf([requirement], 'standard')).rejects.toMatchObject({
    code: 'INVALID_REQUIREMENTS',
    message: expect.stringContaining('not a package of the index') as string,
  });
});
