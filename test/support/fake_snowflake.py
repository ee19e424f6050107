"""fakesnow's server, with Arrow results rewritten as the JSON rowset that the Node driver reads, and faults on demand."""
import asyncio, base64, datetime as dt, gzip, hashlib, json, sys, time
import pyarrow as pa, uvicorn
import fakesnow.server as s

def cell(v, t, scale):
    if v is None: return None
    if t == 'boolean': return '1' if v else '0'
    if t == 'date': return str((v - dt.date(1970, 1, 1)).days) if isinstance(v, dt.date) else str(v)
    if t.startswith('timestamp') or t == 'time':
        if isinstance(v, dict):
            if v.get('epoch') is None: return None
            r = f"{v['epoch']}.{v.get('fraction') or 0:09d}"
            return f"{r} {v['timezone']}" if t == 'timestamp_tz' and 'timezone' in v else (r + ' 1440' if t == 'timestamp_tz' else r)
        if isinstance(v, dt.time): return f"{v.hour*3600+v.minute*60+v.second}.{v.microsecond*1000:09d}"
        if isinstance(v, dt.datetime):
            u = v if v.tzinfo else v.replace(tzinfo=dt.timezone.utc)
            return f"{u.timestamp():.9f}"
        return str(v)
    if t == 'binary': return v.hex().upper()
    return v if isinstance(v, str) else str(v)

# What a real server tells every session, and the driver reads values by.
FORMATS = [
    {'name': 'BINARY_OUTPUT_FORMAT', 'value': 'HEX'},
    {'name': 'DATE_OUTPUT_FORMAT', 'value': 'YYYY-MM-DD'},
    {'name': 'TIME_OUTPUT_FORMAT', 'value': 'HH24:MI:SS'},
    {'name': 'TIMESTAMP_OUTPUT_FORMAT', 'value': 'YYYY-MM-DD HH24:MI:SS.FF3 TZHTZM'},
]

def rewrite(body):
    d = body.get('data') or {}
    if 'parameters' in d: d['parameters'] = d['parameters'] + FORMATS
    if d.get('queryResultFormat') != 'arrow':
        if 'rowset' in d: d.update(returned=len(d['rowset']), total=len(d['rowset']))
        return body
    raw = base64.b64decode(d.pop('rowsetBase64', '') or '')
    cols = [(c['type'].lower(), c.get('scale')) for c in d.get('rowtype') or []]
    rows = []
    if raw:
        tbl = pa.ipc.open_stream(raw).read_all()
        cs = [c.to_pylist() for c in tbl.columns]
        rows = [[cell(v, *cols[i]) for i, v in enumerate(r)] for r in zip(*cs)]
    d.update(queryResultFormat='json', rowset=rows, returned=len(rows), total=len(rows))
    return body

def refused(code, message):
    return s.JSONResponse({'data': {}, 'code': code, 'message': message, 'success': False})

query = s.query_request
async def query_request(request):
    body = await request.body()
    text = json.loads(gzip.decompress(body) if request.headers.get('Content-Encoding') == 'gzip' else body)['sqlText']
    # Faults that tests ask for by a comment; real codes and words of Snowflake.
    for asked in FAULTS:
        if f'/* {asked} */' in text:
            return failed(asked)
    if '/* slow */' in text:
        # Until somebody cancels, which the driver says on another request; it would ask a server that went again and again.
        running.append(asyncio.get_running_loop().create_future())
        await running[-1]
        return failed('cancelled')
    if '/* 403 */' in text: return s.JSONResponse({}, status_code=403)
    if '/* 500 */' in text:
        asked500.append(text)
        return s.JSONResponse({}, status_code=500)
    if '/* garbage */' in text: return s.Response('<html>', media_type='text/html')
    r = await query(request)
    return s.JSONResponse(rewrite(json.loads(r.body)), status_code=r.status_code)

def failed(asked):
    code, state, message = FAULTS[asked]
    return s.JSONResponse({'data': {'errorCode': code, 'sqlState': state}, 'code': code, 'message': message, 'success': False})

asked500 = []
async def count(request): return s.JSONResponse(len(asked500))

running = []
async def abort_request(request):
    while running: running.pop().set_result(None)
    return s.JSONResponse({'data': None, 'success': True})

FAULTS = {
    'locked': ('000625', '57014', "Statement 'x' has locked table 'T' in transaction 1 and this lock has not yet been released."),
    'timeout': ('000630', '57014', 'Statement reached its statement or warehouse timeout of 1 second(s) and was canceled.'),
    'cancelled': ('000604', '57014', 'SQL execution canceled'),
    'denied': ('003001', '42501', "SQL access control error: Insufficient privileges to operate on table 'T'"),
    'suspended': ('000606', '57P03', 'No active warehouse selected in the current session.'),
}

login = s.login_request
async def login_request(request):
    body = await request.body()
    data = json.loads(gzip.decompress(body) if request.headers.get('Content-Encoding') == 'gzip' else body)['data']
    if data.get('PASSWORD') == 'wrong': return refused('390100', 'Incorrect username or password was specified.')
    if data.get('AUTHENTICATOR') == 'SNOWFLAKE_JWT' and not signed(data): return refused('390144', 'JWT token is invalid.')
    if data.get('AUTHENTICATOR') == 'OAUTH' and data.get('TOKEN') != 'right': return refused('390303', 'Invalid OAuth access token.')
    return await login(request)

def signed(data):
    """Whether the token of a login is what Snowflake asks for, by the public key that stands in the file of the second argument."""
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import padding
    with open(sys.argv[2], 'rb') as file: key = serialization.load_pem_public_key(file.read())
    der = key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    fingerprint = 'SHA256:' + base64.b64encode(hashlib.sha256(der).digest()).decode()
    part = lambda text: base64.urlsafe_b64decode(text + '=' * (-len(text) % 4))
    head, claims, signature = data['TOKEN'].split('.')
    try: key.verify(part(signature), f'{head}.{claims}'.encode(), padding.PKCS1v15(), hashes.SHA256())
    except Exception: return False
    said, user = json.loads(part(claims)), f"{data['ACCOUNT_NAME']}.{data['LOGIN_NAME']}".upper()
    return said['iss'] == f'{user}.{fingerprint}' and said['sub'] == user and said['exp'] > time.time()

ROUTES = {'/queries/v1/query-request': query_request, '/session/v1/login-request': login_request, '/queries/v1/abort-request': abort_request}
for i, route in enumerate(s.routes):
    if route.path in ROUTES: s.routes[i] = s.Route(route.path, ROUTES[route.path], methods=['POST'])
s.app = s.Starlette(routes=[*s.routes, s.Route('/test/asked500', count)])
uvicorn.run(s.app, host='127.0.0.1', port=int(sys.argv[1]), log_level='warning')
