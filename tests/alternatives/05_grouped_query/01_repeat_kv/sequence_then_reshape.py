def repeat_kv(x, n_rep):
    # 시퀀스 방향으로 반복한 다음 reshape: 같은 결과
    b, kv, n, d = x.shape
    return x.repeat(1, 1, n_rep, 1).reshape(b, kv * n_rep, n, d)
