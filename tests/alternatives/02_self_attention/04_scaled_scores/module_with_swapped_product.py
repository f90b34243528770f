import torch


class Scorer(torch.nn.Module):
    def forward(self, query, key):
        # 결과는 contiguous 가 아님
        s = key.matmul(query.transpose(-2, -1))
        return s.transpose(-1, -2) * (1.0 / query.shape[-1] ** 0.5)


scaled_scores = Scorer()
